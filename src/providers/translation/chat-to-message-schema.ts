// A JSON Schema as Claude takes it for an answer's form (WIRE.md 9): objects closed, and the keywords that it can't follow
// said in words instead.
import { arrayOf, isObject, textOf, type Json } from "../json/read.ts";

const unsupported = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
];

/** Members that hold schemas by name, schemas in a list, and one schema. */
const named = new Set(["properties", "$defs", "definitions"]);
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const single = new Set(["items", "not"]);

/** Depth is bounded by the reader of the request's JSON. */
export function closeSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const closed: Json = {};
  const said: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (unsupported.includes(key) && !isFewItems(key, value)) said.push(`${key}: ${JSON.stringify(value)}`);
    else if (named.has(key) && isObject(value))
      closed[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closeSchema(inner)]));
    else if (listed.has(key)) closed[key] = arrayOf(value).map(closeSchema);
    else if (single.has(key)) closed[key] = closeSchema(value);
    else closed[key] = value;
  }
  if (said.length > 0) closed["description"] = [textOf(closed["description"]), `(${said.join(", ")})`].filter(Boolean).join(" ");
  const { type } = closed;
  if (type === "object" || (Array.isArray(type) && type.includes("object"))) closed["additionalProperties"] = false;
  return closed;
}

/** The one bound of lists that is understood. */
function isFewItems(key: string, value: unknown): boolean {
  return key === "minItems" && (value === 0 || value === 1);
}
