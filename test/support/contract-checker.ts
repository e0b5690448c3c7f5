// Compares a reply with what an OpenAPI 3.2 document declares for an operation: status, content type, headers, body,
// and every record of an event stream. Knows one document and nothing of the server.
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

export interface ReplyToCheck {
  status: number;
  /** Lower-cased names. */
  headers: Record<string, string>;
  /** Undefined: there is none to check (HEAD). */
  bodyText?: string;
}

interface MediaType {
  schema?: object;
  itemSchema?: object;
}
interface Header {
  required?: boolean;
  schema?: object;
  $ref?: string;
}
interface Response {
  headers?: Record<string, Header>;
  content?: Record<string, MediaType>;
  $ref?: string;
}
interface Operation {
  operationId: string;
  responses: Record<string, Response>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
}

/** Returns a function that lists every fault of a reply; an empty list means that the reply keeps the contract. */
export function createChecker(openapi: object): (operationId: string, reply: ReplyToCheck) => string[] {
  const document = readInside(openapi) as Document;
  const operations = indexOperations(document);
  const compiled = createCompiler(document);
  return (operationId, { status, headers, bodyText }) => {
    const declared = operations.get(operationId);
    if (!declared) return [`the contract has no operation ${operationId}`];
    const { responses } = declared.operation;
    const found = responses[String(status)];
    if (!found) return [`status ${status} is not declared (${Object.keys(responses).join(", ")})`];
    const { value: response, pointer } = follow(document, found, `${declared.pointer}/responses/${status}`);
    const faults = headerFaults(document, compiled, response, pointer, headers);
    return bodyText === undefined ? faults : [...faults, ...bodyFaults(compiled, response, pointer, headers, bodyText)];
  };
}

/** Of the schema that stands at a place of the document. */
type Compiler = (schema: object, pointer: string) => ValidateFunction;

function createCompiler(document: object): Compiler {
  // Most validators run a few times: a pass that makes their code shorter costs more than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, "contract");
  // A thousand places say the same: an error's schema by its name, a header's in as many words.
  const known = new Map<string, ValidateFunction>();
  return (schema, pointer) => {
    const text = JSON.stringify(schema);
    const validate = known.get(text) ?? ajv.compile({ $ref: `contract#${pointer}` });
    known.set(text, validate);
    return validate;
  };
}

function indexOperations(document: Document): Map<string, { pointer: string; operation: Operation }> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, operation]) => typeof operation === "object" && "operationId" in operation)
        .map(([method, operation]) => [operation.operationId, { pointer: `/paths/${escape(path)}/${method}`, operation }] as const),
    ),
  );
}

function headerFaults(
  document: Document,
  compiled: Compiler,
  response: Response,
  pointer: string,
  headers: Record<string, string>,
): string[] {
  return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
    const { value, pointer: at } = follow(document, header, `${pointer}/headers/${escape(name)}`);
    const text = headers[name.toLowerCase()];
    if (text === undefined) return value.required ? [`header ${name} is missing`] : [];
    if (!value.schema) return [];
    const validate = compiled(value.schema, `${at}/schema`);
    return validate(text) || validate(asJson(text)) ? [] : [`header ${name}: "${text}" ${errorsOf(validate)}`];
  });
}

function bodyFaults(compiled: Compiler, response: Response, pointer: string, headers: Record<string, string>, bodyText: string): string[] {
  const type = headers["content-type"]?.toLowerCase().replaceAll(" ", "");
  const content = Object.entries(response.content ?? {});
  if (content.length === 0) return bodyText === "" ? [] : ["a body where none is declared"];
  const [name, media] = content.find(([declared]) => declaresType(declared, type)) ?? [];
  if (name === undefined || !media)
    return [`content type ${type ?? "(none)"} is not declared (${content.map(([declared]) => declared).join(", ")})`];
  const at = `${pointer}/content/${escape(name)}`;
  if (name === "text/event-stream") return media.itemSchema ? streamFaults(compiled(media.itemSchema, `${at}/itemSchema`), bodyText) : [];
  if (!name.endsWith("json") || !media.schema) return [];
  const value = asJson(bodyText);
  if (typeof value === "string") return ["the body is no JSON"];
  const validate = compiled(media.schema, `${at}/schema`);
  return validate(value) ? [] : [errorsOf(validate)];
}

/** Parameters count where the contract names them: `text/plain; charset=utf-8` is not `text/plain`. */
function declaresType(declared: string, type: string | undefined): boolean {
  const wanted = declared.toLowerCase().replaceAll(" ", "");
  return type === wanted || type?.split(";")[0] === wanted;
}

/** Every record against the item schema; `[DONE]` last, where it comes. Comment lines (keep-alive) are no records. */
function streamFaults(validate: ValidateFunction, bodyText: string): string[] {
  const records = bodyText
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map(parseRecord)
    .filter((record) => record !== undefined);
  const faults = records.flatMap((record, index) =>
    validate(record) ? [] : [`record ${index} ${JSON.stringify(record).slice(0, 500)}: ${errorsOf(validate)}`],
  );
  const done = records.findIndex((record) => record.data === "[DONE]");
  if (done >= 0 && done !== records.length - 1) faults.push("a record follows [DONE]");
  return faults;
}

function parseRecord(block: string): { event?: string; data: unknown } | undefined {
  const lines = block.split(/\r\n|\n|\r/).filter((line) => line !== "" && !line.startsWith(":"));
  if (lines.length === 0) return undefined;
  const field = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  const event = field("event")[0];
  return { ...(event === undefined ? {} : { event }), data: asJson(field("data").join("\n")) };
}

/**
 * A record's `data` is a string whose JSON a `contentSchema` describes, which a validator takes for a remark. Here the
 * string is parsed before it is checked, so the schema of the string gives way to the schema of what is inside.
 */
function readInside(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(readInside);
  if (typeof schema !== "object" || schema === null) return schema;
  const node = schema as Record<string, unknown>;
  if (node.contentSchema !== undefined) return readInside(node.contentSchema);
  const inside = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, readInside(value)]));
  const describes = JSON.stringify(node.oneOf ?? node.anyOf ?? []).includes('"contentSchema"');
  const { data } = (inside.properties ?? {}) as { data?: { type?: unknown } };
  if (describes && data?.type === "string") delete data.type;
  return inside;
}

function follow<T extends { $ref?: string }>(document: Document, value: T, pointer: string): { value: T; pointer: string } {
  if (value.$ref === undefined) return { value, pointer };
  const parts = value.$ref
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document) as T;
  return follow(document, found, parts.map((part) => `/${escape(part)}`).join(""));
}

/** JSON pointer inside a URI fragment: `~` and `/` by RFC 6901, the rest percent-encoded (`{id}`). */
function escape(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Text that is no JSON stays text. */
function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function errorsOf(validate: ValidateFunction): string {
  return (validate.errors ?? [])
    .map((error) => `${error.instancePath || "(root)"} ${error.message ?? ""} ${JSON.stringify(error.params)}`)
    .join("; ");
}
