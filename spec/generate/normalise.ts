// Adds what the emitter's document lacks for the tools that read it, and turns it into OpenAPI 3.1. Each rule mends a consumer
// that was seen to fail (docs/behaviour/operation.md#toolchain).
import { type Discriminator, type Document, type Media, nameIn, operationsOf, type Schema } from "./document.ts";
import { completeExamples } from "./examples.ts";

export function normalise(document: Document): void {
  for (const schema of Object.values(document.components.schemas)) {
    eachSchema(schema, openObjects);
    eachSchema(schema, objectBounds);
    eachSchema(schema, defaultIsNoKnownKind);
  }
  for (const media of allMedia(document)) {
    for (const schema of [media.schema, media.itemSchema]) if (schema !== undefined) eachSchema(schema, openObjects);
    binaryAsFormat(media);
    eventNamesAreOptional(media);
    for (const encoding of Object.values(media.encoding ?? {}))
      if (encoding.contentType === "application/json") delete encoding.contentType;
  }
  filePartsAsBinary(document);
  inlineHeaders(document);
  completeExamples(document);
  // The compiler hands decorators over last first; readers go by this order.
  document.tags.reverse();
  documentWholeApi(document);
  dropUnused(document);
}

/** The catalog file is the operator's: its schema is published on its own, and what only it uses goes with it. */
export function withoutCatalogFile(document: Document): Document {
  const copy = structuredClone(document);
  delete copy.components.schemas.CatalogFile;
  dropUnused(copy);
  return copy;
}

/** The generated document: 3.1.1. What only 3.2 can say is an extension; src/docs/contract.ts is the way back. */
export function toVersion31(document: Document): Document {
  const copy = structuredClone(document);
  copy.openapi = "3.1.1";
  eachSchema(copy.components.schemas, withoutDefaultMapping);
  for (const media of allMedia(copy)) {
    if (media.itemSchema === undefined) continue;
    media["x-itemSchema"] = media.itemSchema;
    delete media.itemSchema;
    media.schema = { type: "string" };
  }
  return copy;
}

/** openapi-typescript and fuzzers misread unevaluatedProperties where nothing is composed. */
function openObjects(schema: Schema): void {
  if (!("unevaluatedProperties" in schema) || "allOf" in schema || "anyOf" in schema || "oneOf" in schema) return;
  const value = schema.unevaluatedProperties as Schema | boolean;
  delete schema.unevaluatedProperties;
  schema.additionalProperties =
    typeof value === "object" && JSON.stringify(value) === '{"not":{}}'
      ? false
      : typeof value === "object" && Object.keys(value).length === 0
        ? true
        : value;
}

/** TypeSpec can't bound how many fields an object has; the spec says it as an extension. */
function objectBounds(schema: Schema): void {
  for (const name of ["minProperties", "maxProperties"]) {
    if (schema[`x-${name}`] === undefined) continue;
    schema[name] = schema[`x-${name}`];
    delete schema[`x-${name}`];
  }
}

/** Of a union with a default branch: otherwise a faulty block of a known kind would pass as one of an unknown kind. */
function defaultIsNoKnownKind(schema: Schema): void {
  const { propertyName, mapping, defaultMapping } = (schema.discriminator ?? {}) as Partial<Discriminator>;
  if (propertyName === undefined || mapping === undefined || defaultMapping === undefined) return;
  const branches = schema.oneOf as Schema[];
  const known = { properties: { [propertyName]: { enum: Object.keys(mapping) } }, required: [propertyName] };
  schema.oneOf = branches.map((branch) => (branch.$ref === defaultMapping ? { ...branch, not: known } : branch));
}

/** 3.1 knows no default branch: a plain union with an extension then, whose branches their literals and the default's `not` keep apart. */
function withoutDefaultMapping(schema: Schema): void {
  if ((schema.discriminator as Partial<Discriminator> | undefined)?.defaultMapping === undefined) return;
  schema.anyOf = schema.oneOf;
  schema["x-discriminator"] = schema.discriminator;
  delete schema.oneOf;
  delete schema.discriminator;
}

function binaryAsFormat(media: Media): void {
  const { schema } = media;
  if (schema !== undefined && (Object.keys(schema).length === 0 || "contentMediaType" in schema))
    media.schema = { type: "string", format: "binary" };
}

/** A file part of a form comes out of the emitter with a description and nothing else. */
function filePartsAsBinary(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const media = operation.requestBody?.content["multipart/form-data"];
    const schema = media?.schema;
    const form = typeof schema?.$ref === "string" ? document.components.schemas[nameIn(schema.$ref)] : schema;
    for (const [name, property] of Object.entries((form?.properties ?? {}) as Record<string, Schema>)) {
      const part = property.type === "array" ? (property.items as Schema) : property;
      if (part !== property) {
        // Said aloud, because Prism takes one part for no list.
        Object.assign(media!.encoding![name]!, { style: "form", explode: true });
        if ((form?.required as string[] | undefined)?.includes(name)) property.minItems = 1;
      }
      if (Object.keys(part).every((key) => key === "description")) Object.assign(part, { type: "string", format: "binary" });
    }
  }
}

/** The emitter demands `event`, which OpenAI-style streams never send; named events say it in their variant. */
function eventNamesAreOptional({ itemSchema }: Media): void {
  if (itemSchema === undefined) return;
  itemSchema.required = ["data"];
  // Exactly one can't be asked of `[DONE]`: to a validator that doesn't look into contentSchema, it is any text.
  if (itemSchema.oneOf !== undefined) {
    itemSchema.anyOf = itemSchema.oneOf;
    delete itemSchema.oneOf;
  }
}

/** Some readers coerce a header by its inline type and don't follow references. */
function inlineHeaders(document: Document): void {
  for (const { operation } of operationsOf(document))
    for (const response of Object.values(operation.responses))
      for (const header of Object.values(response.headers ?? {})) {
        const reference = header.schema?.$ref as string | undefined;
        if (reference !== undefined) header.schema = { ...document.components.schemas[nameIn(reference)] };
      }
}

/** 405 and the 404 of unknown paths belong to no operation. */
function documentWholeApi(document: Document): void {
  const carriers = new Set(["UnknownPathBody", "ErrorObject"]);
  document["x-unrouted-errors"] = {
    "404": { description: "An unknown path.", schema: { $ref: "#/components/schemas/UnknownPathBody" } },
    "405": {
      description: "A known path with another method; `Allow` lists the allowed methods.",
      schema: { $ref: "#/components/schemas/ErrorObject" },
    },
  };
  for (const name of carriers) if (document.components.schemas[name] === undefined) throw new Error(`errors.tsp has no ${name}`);
}

/** Keeps what operations, the catalog file and the errors of unknown paths lead to, in the document's order. */
function dropUnused(document: Document): void {
  const { schemas } = document.components;
  const used = new Set(schemas.CatalogFile === undefined ? [] : ["CatalogFile"]);
  const follow = (value: unknown) => {
    for (const [, name] of (JSON.stringify(value) ?? "").matchAll(/"#\/components\/schemas\/([^"]+)"/g)) used.add(name as string);
  };
  follow([document.paths, document["x-unrouted-errors"]]);
  // A set that grows while it is walked is walked to its end.
  for (const name of used) follow(schemas[name]);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

function* allMedia(document: Document): Generator<Media> {
  for (const { operation } of operationsOf(document)) {
    yield* Object.values(operation.requestBody?.content ?? {});
    for (const response of Object.values(operation.responses)) yield* Object.values(response.content ?? {});
  }
}

function eachSchema(value: unknown, change: (schema: Schema) => void): void {
  if (Array.isArray(value)) for (const item of value) eachSchema(item, change);
  else if (typeof value === "object" && value !== null) {
    change(value as Schema);
    for (const [key, inner] of Object.entries(value))
      if (key !== "example" && key !== "examples" && key !== "default") eachSchema(inner, change);
  }
}
