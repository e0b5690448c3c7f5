// The OpenAPI document as the pages read it: operations in order, references resolved, examples found; and its version 3.2.

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  deprecated?: boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  examples?: unknown[];
}

export interface Media {
  schema?: Schema;
  examples?: Record<string, { value: unknown }>;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

interface Answer {
  description: string;
  headers?: Record<string, { description?: string; schema?: Schema }>;
  content?: Record<string, Media>;
}

interface OperationDoc {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer>;
  "x-sdk"?: string;
  "x-paused"?: unknown;
  "x-retired"?: unknown;
}

export interface OpenApi {
  info: { title: string; version: string; description?: string };
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OperationDoc>>;
  components: { schemas: Record<string, Schema> };
}

export interface Located {
  id: string;
  method: string;
  path: string;
  doc: OperationDoc;
}

const methods = ["get", "post", "put", "patch", "delete"];

export function operationsOf({ paths }: OpenApi): Located[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const doc = item[method];
      return doc === undefined ? [] : [{ id: doc.operationId, method: method.toUpperCase(), path, doc }];
    }),
  );
}

/** Of the operations that answer 404 to customers. */
export const operatorTag = "Operator";

/** Tags in reading order, with their operations. */
export function operationGroups(document: OpenApi): { tag: string; description: string; operations: Located[] }[] {
  const all = operationsOf(document);
  return document.tags
    .map(({ name, description = "" }) => ({ tag: name, description, operations: all.filter(({ doc }) => doc.tags?.[0] === name) }))
    .filter(({ operations }) => operations.length > 0);
}

/** The schema that a reference points to, and its name if it has one. */
export function follow(document: OpenApi, schema: Schema): { schema: Schema; name: string | null } {
  let name: string | null = null;
  let at = schema;
  while (at.$ref !== undefined) {
    name = at.$ref.split("/").at(-1) as string;
    const target: Schema | undefined = document.components.schemas[name];
    if (target === undefined) throw new Error(`the contract has no schema ${name}`);
    // Members beside a reference win over its target's.
    const { $ref: _, ...beside } = at;
    at = { ...target, ...beside };
  }
  return { schema: at, name };
}

/** The first example of a content or a parameter, or of its schema; undefined if there is none. */
export function exampleOf({ example, examples, schema }: Media | Parameter): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value ?? schema?.examples?.[0];
}

/**
 * The document of version 3.2, made from the generated 3.1 one, which has extensions for what only 3.2 can express: the schema of a stream's
 * records (x-itemSchema) and which branch of a union takes unknown tags (x-discriminator). spec/generate.ts proves that the conversion is
 * exact.
 */
export function toVersion32(document: object): object {
  return { ...(changed(document) as object), openapi: "3.2.0" };
}

function changed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(changed);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, changed(inner)]));
  if ("x-itemSchema" in fields) {
    const { schema: _, "x-itemSchema": itemSchema, ...rest } = fields;
    return { ...rest, itemSchema };
  }
  if ("x-discriminator" in fields) {
    const { anyOf: oneOf, "x-discriminator": discriminator, ...rest } = fields;
    return { ...rest, oneOf, discriminator };
  }
  return fields;
}
