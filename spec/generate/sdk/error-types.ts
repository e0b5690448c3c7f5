// What each operation may be refused with, by status: the codes in the words of its dialect and the body that carries them. Bodies of one
// shape are one generic interface, so that ninety sets of codes take a line each.
import type { Document, Schema } from "../document.ts";
import { type ErrorAnswer, errorsOf, pascal, type SdkOperation } from "./operations.ts";
import { comment, objectType, union } from "./print-type.ts";

/** The interfaces of the bodies, an alias for each set of codes, and a union for each operation. */
export function errorTypesSource(document: Document, operations: readonly SdkOperation[]): string {
  const bodies = new Map<string, string>();
  const aliases = answersOf(operations).map((answer) => {
    const error = readError(document, answer);
    bodies.set(error.shape, error.source);
    const codes = union(error.codes.map(quoted));
    const types = error.types.length > 0 ? `, ${union(error.types.map(quoted))}` : "";
    return `export type ${answer.schema} = Refusal<${error.status}, ${codes}, ${error.shape}<${codes}${types}>>;\n`;
  });
  const unions = operations.map((one) => {
    const members = errorsOf(one).map(({ schema }) => schema);
    return `/** The errors of \`${one.name}\`. */\nexport type ${pascal(one.id)}Error = ${members.join(" | ")};\n`;
  });
  return [refusal, ...[...bodies.values()].sort(), aliases.join(""), unions.join("")].join("\n");
}

const refusal = `/** An error of one status, with its possible codes and its body. A failed job has no status. */
export interface Refusal<Status extends number | null, Code extends string, Body> {
  status: Status;
  /** Stable code to branch on. */
  code: Code;
  body: Body;
}
`;

/** Every word that \`code\` may have: of the operations, of streams that broke and of jobs that failed. */
export function errorCodes(document: Document, operations: readonly SdkOperation[]): string[] {
  const { StreamError } = document.components.schemas;
  const inStream = (StreamError?.properties as Record<string, Schema>).code?.enum as string[];
  const ofOperations = operations.flatMap((one) => errorsOf(one).flatMap((answer) => readError(document, answer).codes));
  return [...new Set([...ofOperations, ...inStream, ...jobCodes(document)])].sort();
}

/** What comes with each code, over all operations and dialects; a job's codes come with the job. */
export function errorsByCodeSource(document: Document, operations: readonly SdkOperation[]): string {
  const told = operations.flatMap((one) => errorsOf(one).flatMap(({ description }) => meaningsIn(description)));
  // Dialects say several codes in one word, and a code may mean another thing at one of its statuses.
  const meaningOf = (code: string) => [...new Set(told.filter(([own]) => own === code).map(([, meaning]) => meaning))].join(" Or: ");
  const bodies = new Map<string, Map<number | null, Set<string>>>();
  const add = (code: string, status: number | null, body: string): void => {
    const byStatus = bodies.get(code) ?? new Map<number | null, Set<string>>();
    bodies.set(code, byStatus.set(status, (byStatus.get(status) ?? new Set()).add(body)));
  };
  for (const answer of answersOf(operations)) {
    const { status, codes, types, shape } = readError(document, answer);
    for (const code of codes)
      add(code, status, `${shape}<${[quoted(code), ...(types.length > 0 ? [union(types.map(quoted))] : [])].join(", ")}>`);
  }
  for (const code of jobCodes(document)) add(code, null, "ImageJob | VideoJob | GenmediaFailed");
  const fields = [...bodies].sort(byName).map(([code, byStatus]) => {
    const refusals = [...byStatus]
      .sort(byStatusNullLast)
      .map(([status, texts]) => `Refusal<${status}, ${quoted(code)}, ${[...texts].sort().join(" | ")}>`);
    return `${comment(meaningOf(code), false, "  ")}  ${code}: ${refusals.join(" | ")};\n`;
  });
  return `/** Each code with its status and its bodies at the different operations. The body of a failed job is the job. */
export interface ErrorsByCode {\n${fields.join("")}}\n`;
}

/** Each once, by the name of its schema. */
function answersOf(operations: readonly SdkOperation[]): ErrorAnswer[] {
  const byName = new Map(operations.flatMap(errorsOf).map((answer) => [answer.schema, answer]));
  return [...byName.values()].sort((a, b) => (a.schema < b.schema ? -1 : 1));
}

/** A response's description is a line for each code. */
function meaningsIn(description: string): [string, string][] {
  return [...description.matchAll(/^`(\w+)`: (.+)$/gm)].map(([, code, meaning]) => [code as string, meaning as string]);
}

/** A job's failure has no status. */
function byStatusNullLast([a]: [number | null, unknown], [b]: [number | null, unknown]): number {
  return (a ?? Infinity) - (b ?? Infinity);
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function jobCodes({ components }: Document): string[] {
  return (components.schemas.JobErrorCode?.enum ?? []) as string[];
}

/** The codes of an operation by status, as its callers see them. */
export function codesByStatus(document: Document, one: SdkOperation): { status: number; codes: string[] }[] {
  return errorsOf(one).map((answer) => ({ status: answer.status, codes: readError(document, answer).codes }));
}

interface ErrorShape {
  status: number;
  codes: string[];
  types: string[];
  /** Name of the interface of its body. */
  shape: string;
  source: string;
}

function readError({ components: { schemas } }: Document, { schema, status }: ErrorAnswer): ErrorShape {
  const body = structuredClone(schemas[schema]) as ErrorBody;
  const { error, details } = body.properties;
  const fields = error.properties ?? details?.properties ?? {};
  // The bare dialect has a word in `type` and mostly no code.
  const isBare = error.properties !== undefined && error.properties.doc_url === undefined;
  const coded = isBare ? fields.type : fields.code;
  const codes = take(coded, "Code");
  if (isBare) take(fields.code, "Code");
  const types = isBare ? [] : take(fields.type, "Type");
  take((fields.details?.properties as Record<string, Schema> | undefined)?.error_code, "Code");
  const dialect = dialectOf(body, isBare);
  const kind = kindOf(body, dialect);
  const shape = `${dialect}${kind}ErrorBody`;
  const parameters = types.length > 0 ? "Code extends string, Type extends string" : "Code extends string";
  const type = objectType(body, { schemas, request: false }, "");
  const source = `/** The body of an error${about[kind]}. */\nexport interface ${shape}<${parameters}> ${type}\n`;
  return { status, codes, types, shape, source };
}

interface ErrorBody extends Schema {
  required: string[];
  properties: { error: Schema & { properties?: Record<string, Schema> }; details?: Schema & { properties?: Record<string, Schema> } };
}

/** Its words, which the schema then leaves to a parameter of the interface. */
function take(field: Schema | undefined, parameter: string): string[] {
  const words = (field?.enum ?? []) as string[];
  if (field === undefined || words.length === 0) return [];
  delete field.enum;
  field["x-parameter"] = parameter;
  return words;
}

function dialectOf({ properties }: ErrorBody, isBare: boolean): string {
  if (isBare) return "Bare";
  if (properties.error.properties === undefined) return "Genmedia";
  return "type" in properties ? "Anthropic" : "";
}

/** What a body carries beside the error itself. */
function kindOf({ properties, required }: ErrorBody, dialect: string): keyof typeof about {
  const error = properties.error.properties ?? {};
  if ("need_usd" in properties) return required.includes("need_usd") || dialect === "Genmedia" ? "Payment" : "Topup";
  if ("suggested_models" in properties) return "Model";
  if ("suggested_models" in error) return "Route";
  const isOlder = "doc_url" in error && !((properties.error.required ?? []) as string[]).includes("retryable");
  return isOlder ? "Older" : "";
}

const about = {
  "": "",
  Payment: " that added credit fixes, with the amounts",
  Topup: " of a payment that could not be started",
  Model: " that may suggest other models",
  Route: " that may suggest models with another route",
  Older: " that may lack `retryable`",
};

function quoted(word: string): string {
  return JSON.stringify(word);
}
