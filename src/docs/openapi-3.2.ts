// The OpenAPI document of version 3.2, made from the generated 3.1 one, which has extensions for what only 3.2 can express: the
// schema of a stream's records (x-itemSchema) and which branch of a union takes unknown tags (x-discriminator). spec/generate.ts proves
// that the conversion is exact.

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
