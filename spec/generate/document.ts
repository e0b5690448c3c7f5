// The parts of an OpenAPI document that the generator touches, and the two ways it walks them: operations and references.

export type Schema = Record<string, unknown>;

export interface Example {
  summary?: string;
  description?: string;
  value?: unknown;
  $ref?: string;
}

export interface Media {
  schema?: Schema;
  itemSchema?: Schema;
  "x-itemSchema"?: Schema;
  encoding?: Record<string, { contentType?: string; style?: string; explode?: boolean }>;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Header {
  description?: string;
  required?: boolean;
  schema?: Schema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
  links?: Record<string, unknown>;
}

/** A tag outside the mapping means the default: OpenAPI 3.2 only. */
export interface Discriminator {
  propertyName: string;
  mapping: Record<string, string>;
  defaultMapping?: string;
}

export interface ParameterObject {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  description?: string;
  required?: boolean;
  schema: Schema;
  examples?: Record<string, Example>;
}

export interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: ParameterObject[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
  security?: Record<string, string[]>[];
  [extension: `x-${string}`]: unknown;
}

export interface Document {
  openapi: string;
  paths: Record<string, Record<string, OperationObject>>;
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, Schema>; examples?: Record<string, Example>; securitySchemes?: Record<string, unknown> };
  security?: Record<string, string[]>[];
  [key: string]: unknown;
}

const methods = ["get", "post", "put", "patch", "delete"] as const;

export interface Located {
  path: string;
  method: string;
  operation: OperationObject;
}

/** Every operation, in the document's order. */
export function operationsOf(document: Document): Located[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] === undefined ? [] : [{ path, method, operation: item[method] }])),
  );
}

/** The last step of a reference: the name of a schema, or of whatever component it leads to. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
