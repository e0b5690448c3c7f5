// generated/validators.js: code that judges JSON bodies, forms, parameters and the catalog file, and needs no ajv. Coercion and defaults are off: bodies are forwarded as sent.
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { validatorsModule, withoutDocumentation } from "./bundle-validators.ts";
import type { Discriminator, Document, ParameterObject, Schema } from "./document.ts";
import type { ExpandedOperation } from "./expand-errors.ts";

export interface Validators {
  code: string;
  /** The catalog file's JSON Schema, for editors; null while the spec has none. */
  catalogSchema: Schema | null;
}

const base = "https://svc.invalid/api";

export async function validatorsSource(document: Document, operations: readonly ExpandedOperation[]): Promise<Validators> {
  const schemas = withoutMapping(document.components.schemas) as Record<string, Schema>;
  const ajv = new Ajv2020({
    strict: false,
    discriminator: true,
    allErrors: false,
    verbose: true,
    code: { source: true, esm: true, lines: false },
  });
  (addFormats as unknown as (ajv: Ajv2020, options: { mode: "fast" }) => void)(ajv, { mode: "fast" });
  ajv.addSchema({ $id: base, ...withoutDocumentation({ components: { schemas } }) });

  const exports: Record<string, string> = {};
  const groups: Record<"bodies" | "forms" | "parameters", Record<string, string>> = { bodies: {}, forms: {}, parameters: {} };
  const add = (group: keyof typeof groups, id: string, schema: Schema) => {
    const name = `${group}_${id}`;
    const key = `${base}/${name}`;
    ajv.addSchema({ ...withoutDocumentation(rebased(schema)), $id: key });
    exports[name] = key;
    groups[group][id] = name;
  };
  for (const { operation } of operations) {
    const body = operation.requestBody?.content["application/json"]?.schema;
    if (body !== undefined) add("bodies", operation.operationId, withoutMapping(body) as Schema);
    const form = operation.requestBody?.content["multipart/form-data"]?.schema;
    if (form !== undefined) add("forms", operation.operationId, withoutMapping(form) as Schema);
    const parameters = (operation.parameters ?? []).filter(
      ({ in: place, name }) => place !== "cookie" && name.toLowerCase() !== "content-type",
    );
    if (parameters.length > 0) add("parameters", operation.operationId, parameterSchema(parameters));
  }
  const hasCatalog = schemas.CatalogFile !== undefined;
  if (hasCatalog) {
    ajv.addSchema({ $id: `${base}/catalogFile`, $ref: `${base}#/components/schemas/CatalogFile` });
    exports.catalogFile = `${base}/catalogFile`;
  }
  const tables = Object.entries(groups).map(([name, entries]) => table(name, entries));
  if (!hasCatalog) tables.push("export const catalogFile = () => true;");
  const code = await validatorsModule(ajv, exports, tables);
  return { code, catalogSchema: hasCatalog ? standalone("CatalogFile", schemas) : null };
}

export const validatorTypes = `import type { OperationId } from "./operations.ts";

export interface ValidationFault {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  message?: string;
  parentSchema?: Record<string, unknown>;
  /** The value that the keyword judged. */
  data?: unknown;
}

export interface Validate {
  (value: unknown): boolean;
  errors?: ValidationFault[] | null;
}

export const bodies: Partial<Record<OperationId, Validate>>;
/** Of one object of the form's fields, texts already coerced; "file" is any text. */
export const forms: Partial<Record<OperationId, Validate>>;
/** Of one object { path, query, header }, its values already coerced. */
export const parameters: Partial<Record<OperationId, Validate>>;
export const catalogFile: Validate;
`;

function table(name: string, entries: Record<string, string>): string {
  return `export const ${name} = { ${Object.entries(entries)
    .map(([id, symbol]) => `${id}: ${symbol}`)
    .join(", ")} };`;
}

function parameterSchema(parameters: readonly ParameterObject[]): Schema {
  const places = Object.groupBy(parameters, (parameter) => parameter.in);
  const properties = Object.fromEntries(
    Object.entries(places).map(([place, list]) => [
      place,
      {
        type: "object",
        properties: Object.fromEntries(list.map((one) => [one.name, withoutMapping(one.schema)])),
        required: list.filter((one) => one.required).map((one) => one.name),
      },
    ]),
  );
  return { type: "object", properties, required: Object.keys(properties) };
}

function rebased(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', `"${base}#/components/`)) as Schema;
}

/** ajv refuses a discriminator's mapping; the tags are literals anyway. A field of that name has a schema, no tag. */
function withoutMapping(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => {
    const discriminator = (inner as { discriminator?: Partial<Discriminator> } | null)?.discriminator;
    if (discriminator?.propertyName === undefined) return inner;
    const { propertyName, mapping, defaultMapping } = discriminator as Discriminator;
    return defaultMapping === undefined ? { ...(inner as Schema), discriminator: { propertyName } } : openUnion(propertyName, mapping);
  });
}

/** Any tag passes; a known one leads to its own branch alone, so that a fault names the field that the caller meant. */
function openUnion(tag: string, mapping: Record<string, string>): Schema {
  return {
    type: "object",
    required: [tag],
    properties: { [tag]: { type: "string" } },
    allOf: Object.entries(mapping).map(([value, $ref]) => ({
      if: { type: "object", properties: { [tag]: { const: value } }, required: [tag] },
      then: { $ref },
    })),
  };
}

/** One schema with everything it refers to under $defs. */
function standalone(name: string, schemas: Record<string, Schema>): Schema {
  const defs: Record<string, Schema> = {};
  const collect = (schema: Schema) => {
    for (const [, inner] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const used = inner as string;
      if (defs[used] !== undefined || used === name) continue;
      defs[used] = schemas[used] as Schema;
      collect(defs[used]);
    }
  };
  collect(schemas[name] as Schema);
  const local = (schema: unknown) => JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/")) as Schema;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...local(schemas[name]),
    $defs: local(Object.fromEntries(Object.entries(defs).sort(([a], [b]) => (a < b ? -1 : 1)))),
  };
}
