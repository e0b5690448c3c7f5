// Which field of an operation the example of a refused request blames: one that this operation has.
import { type Document, nameIn, type OperationObject, type Schema } from "./document.ts";

/** Null where the operation takes nothing, and for conversations, whose examples error-examples.ts has. */
export function fieldOf({ components }: Document, { requestBody, parameters = [] }: OperationObject): string | null {
  const [body] = Object.values(requestBody?.content ?? {});
  const fields = body?.schema === undefined ? [] : fieldsOf(components.schemas, body.schema);
  if (fields.includes("messages")) return null;
  // A wrong model has codes of its own.
  const [field = fields[0]] = fields.filter((name) => name !== "model");
  return field ?? parameters.find((one) => one.in !== "header")?.name ?? null;
}

/** Required ones first. */
function fieldsOf(schemas: Record<string, Schema>, schema: Schema): string[] {
  const { $ref, allOf = [], anyOf = [], required = [], properties = {} } = schema as ObjectSchema;
  const target = $ref === undefined ? undefined : schemas[nameIn($ref)];
  return [
    ...required,
    ...[...allOf, ...anyOf, ...(target === undefined ? [] : [target])].flatMap((one) => fieldsOf(schemas, one)),
    ...Object.keys(properties),
  ];
}

interface ObjectSchema {
  $ref?: string;
  allOf?: Schema[];
  anyOf?: Schema[];
  required?: string[];
  properties?: Schema;
}
