// generated/operations.ts: what the server must know of each operation before it knows anything of the request.
import type { Document, OperationObject, ParameterObject, Schema } from "./document.ts";
import type { ExpandedOperation } from "./expand-errors.ts";
import { rolesOf } from "./roles.ts";

const defaultBodyMax = 25 * 1024 * 1024;

export function operationsSource(document: Document, operations: readonly ExpandedOperation[]): string {
  const table = Object.fromEntries(operations.map((one) => [one.operation.operationId, row(document, one)]));
  return `import type { Dialect, ErrorCode } from "./errors.ts";

export type OperationId =
${Object.keys(table)
  .map((id) => `  | ${JSON.stringify(id)}`)
  .join("\n")};

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  /** What its text is coerced to; "array" is a comma-separated list. */
  type: "string" | "integer" | "number" | "boolean" | "array";
}

/** The texts of a form and its files. */
export interface Form {
  /** Bytes of all files together. */
  fileMax: number;
  /** The parts that are files; "many": it may be repeated, also with [] after its name. */
  files: readonly { name: string; many: boolean }[];
  /** An "array" is a field that may be repeated. */
  fields: readonly Pick<Parameter, "name" | "type">[];
}

export interface Operation {
  id: OperationId;
  method: "get" | "post" | "patch" | "delete";
  path: string;
  auth: "none" | "key" | "key_or_session" | "session";
  xApiKey: boolean;
  /** With a session: the roles that may, in the workspace of the request. Absent: it is about the person alone, or takes no session. */
  roles?: readonly ("owner" | "admin" | "developer" | "billing" | "viewer")[];
  /** Only for operators with this role or a higher one; to anyone else the path is unknown. */
  operator?: "support" | "finance" | "admin";
  dialect: Dialect;
  /** The catalogue's codes that it may answer with. */
  errors: readonly ErrorCode[];
  /** Where it answers a code with other statuses than the catalogue's row. */
  statuses?: Partial<Readonly<Record<ErrorCode, readonly number[]>>>;
  bodies: readonly ("application/json" | "multipart/form-data")[];
  bodyRequired: boolean;
  /** Bytes; of a form, see there. */
  bodyMax: number;
  /** Absent where it takes none. */
  form?: Form;
  parameters: readonly Parameter[];
  successes: readonly number[];
  streams: boolean;
  /** It names a model, and so counts for the limits of the account. */
  counts: boolean;
}

export const operations: Readonly<Record<OperationId, Operation>> = ${JSON.stringify(table, null, 2)};
`;
}

function row(document: Document, { operation, path, method, dialect, errors, statuses, counts }: ExpandedOperation) {
  const security = operation.security ?? [];
  const schemes = new Set(security.flatMap((one) => Object.keys(one)));
  const named = rolesOf(operation);
  const bodies = Object.keys(operation.requestBody?.content ?? {});
  return {
    id: operation.operationId,
    method,
    path,
    auth: authOf(security, schemes),
    xApiKey: schemes.has("XApiKey"),
    ...(named === undefined ? {} : { roles: named }),
    ...operatorOf(operation),
    dialect,
    errors,
    ...(Object.keys(statuses).length > 0 && { statuses }),
    bodies,
    bodyRequired: operation.requestBody?.required ?? false,
    bodyMax: (operation["x-body-limit"] as number | undefined) ?? defaultBodyMax,
    ...formOf(document, operation),
    parameters: (operation.parameters ?? [])
      .filter(isRead)
      .map((one) => ({ name: one.name, in: one.in, required: one.required ?? false, type: typeOf(one.schema) })),
    successes: Object.keys(operation.responses)
      .map(Number)
      .filter((status) => status < 400),
    streams: Object.values(operation.responses).some((response) => response.content?.["text/event-stream"] !== undefined),
    counts,
  };
}

const operatorRoles = ["support", "finance", "admin"];

function operatorOf(operation: OperationObject) {
  const role = operation["x-operator"];
  if (role === undefined) return {};
  if (!operatorRoles.includes(role as string))
    throw new Error(`${operation.operationId}: x-operator is one of ${operatorRoles.join(", ")}`);
  return { operator: role as string };
}

function formOf({ components: { schemas } }: Document, operation: OperationObject) {
  const form = operation.requestBody?.content["multipart/form-data"]?.schema;
  if (form === undefined) return {};
  const properties = resolved(schemas, form).properties as Record<string, Schema>;
  const parts = Object.entries(properties).map(([name, schema]) => ({ name, schema: resolved(schemas, schema) }));
  const files = parts.filter(({ schema }) => isFile(schema)).map(({ name, schema }) => ({ name, many: schema.type === "array" }));
  const fields = parts.filter(({ schema }) => !isFile(schema)).map(({ name, schema }) => ({ name, type: typeOf(schema) }));
  return { form: { fileMax: (operation["x-file-limit"] as number | undefined) ?? defaultBodyMax, files, fields } };
}

function isFile({ format, items }: Schema): boolean {
  return format === "binary" || (items as Schema | undefined)?.format === "binary";
}

/** What a schema refers to, alone or inside `allOf`. */
function resolved(schemas: Document["components"]["schemas"], schema: Schema): Schema {
  const [inner] = (schema.allOf as Schema[] | undefined) ?? [schema];
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(inner?.$ref))?.[1];
  return name === undefined ? schema : (schemas[name] as Schema);
}

function authOf(
  security: readonly Record<string, string[]>[],
  schemes: ReadonlySet<string>,
): "none" | "key" | "key_or_session" | "session" {
  if (security.length === 0 || security.some((one) => Object.keys(one).length === 0)) return "none";
  const session = schemes.has("SessionToken") || schemes.has("SessionCookie");
  if (!schemes.has("ApiKey")) return session ? "session" : "none";
  return session ? "key_or_session" : "key";
}

/** The body's media type is no parameter, and cookies are authentication's. */
function isRead(parameter: ParameterObject): boolean {
  return parameter.in !== "cookie" && parameter.name.toLowerCase() !== "content-type";
}

function typeOf(schema: Schema): string {
  const type = schema.type;
  return type === "integer" || type === "number" || type === "boolean" || type === "array" ? type : "string";
}
