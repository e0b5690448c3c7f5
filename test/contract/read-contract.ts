// Reads the generated contract for the contract tests: operations by id, fields, the closed set of codes of a status, examples,
// and validators that resolve references inside the whole document. Knows no single endpoint.
import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}
export interface Content {
  schema: Schema;
  examples?: Record<string, Example>;
}
export interface Example {
  $ref?: string;
  value: unknown;
}
export interface Answer {
  description: string;
  headers?: Record<string, { required?: boolean; description?: string; schema: Schema; example?: unknown }>;
  content?: Record<string, Content>;
}
export interface ContractOperation {
  operationId: string;
  method: string;
  path: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  tags: string[];
  "x-sdk"?: string;
  /** The least role of an operator who may. */
  "x-operator"?: string;
  parameters: {
    $ref?: string;
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: Schema;
    examples?: Record<string, Example>;
  }[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Answer>;
}
interface ContractDocument {
  paths: Record<string, Record<string, Omit<ContractOperation, "method" | "path">>>;
  components: { schemas: Record<string, Schema>; [kind: string]: Record<string, unknown> };
}

const document: ContractDocument = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));

const operationsById = new Map<string, ContractOperation>();
for (const [path, methods] of Object.entries(document.paths)) {
  for (const [method, declared] of Object.entries(methods)) {
    if (!declared.operationId) continue;
    operationsById.set(declared.operationId, { ...declared, parameters: (declared.parameters ?? []).map(resolved), method, path });
  }
}

// ajv takes the discriminator but not its mapping; the tags say the same.
const ajv = new Ajv2020({ strict: false, discriminator: true, logger: false });
formats.default(ajv);
ajv.addSchema(JSON.parse(JSON.stringify(document, (key, value: unknown) => (key === "mapping" ? undefined : value))) as object, "contract");

export function operation(id: string): ContractOperation {
  const found = operationsById.get(id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}

/** Every operation, in the document's order. */
export function allOperations(): ContractOperation[] {
  return [...operationsById.values()];
}

/** Follows a reference; what is no reference comes back as it is. */
export function resolved<T extends { $ref?: string }>(value: T): T {
  if (!value.$ref) return value;
  let at: unknown = document;
  for (const step of value.$ref.slice(2).split("/")) at = (at as Record<string, unknown>)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  return resolved(at as T);
}

export function schema(name: string): Schema {
  const found = document.components.schemas[name];
  if (!found) throw new Error(`The contract has no schema ${name}.`);
  return found;
}

export function validatorOf(name: string): ValidateFunction {
  return compiled(`contract#/components/schemas/${name}`);
}

/** A validator for the schema at a path of keys inside the document. */
export function validatorAt(...path: string[]): ValidateFunction {
  return compiled(`contract#/${path.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`);
}

/** The words that a status of an operation may carry as `error.code` (or `details.code`), sorted. */
export function codesOf(id: string, status: number): string[] {
  const answer = operation(id).responses[status];
  const body = answer?.content?.["application/json"];
  return body ? [...new Set(wordsUnder(body.schema, "code"))].sort() : [];
}

/** Every schema reachable from one, itself included, each once, with the path that leads to it. */
export function reachable(start: Schema, name: string): { at: string; schema: Schema }[] {
  const seen = new Set<Schema>();
  const found: { at: string; schema: Schema }[] = [];
  const visit = (value: Schema, at: string): void => {
    const target = resolved(value);
    if (seen.has(target)) return;
    seen.add(target);
    found.push({ at, schema: target });
    for (const [key, property] of Object.entries(target.properties ?? {})) visit(property, `${at}.${key}`);
    for (const branch of [...(target.allOf ?? []), ...(target.anyOf ?? []), ...(target.oneOf ?? [])]) visit(branch, at);
    if (target.items) visit(target.items, `${at}[]`);
  };
  visit(start, name);
  return found;
}

function compiled(pointer: string): ValidateFunction {
  const validate = ajv.getSchema(pointer);
  if (!validate) throw new Error(`The contract has nothing at ${pointer}.`);
  return validate;
}

function wordsUnder(start: Schema, property: string): string[] {
  return reachable(start, "body").flatMap(({ schema: { properties } }) => {
    const declared = properties?.[property];
    return declared
      ? reachable(declared, property).flatMap(({ schema: words }) =>
          [...(words.enum ?? []), ...("const" in words ? [words.const] : [])].map(String),
        )
      : [];
  });
}
