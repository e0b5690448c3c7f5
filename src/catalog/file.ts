// Names for the parts of the catalog file as the operator wrote it, and for faults found in it.
// Types only; what the keys mean stands in spec/catalog/catalog-file.tsp.
import type { components } from "../../generated/api.d.ts";
import { catalogFile, type Validate, type ValidationFault } from "../../generated/validators.js";

type Schemas = components["schemas"];

export type CatalogFile = Schemas["CatalogFile"];
export type FileProvider = Schemas["CatalogProvider"];
export type FileModel = Schemas["CatalogModel"];
export type FileRoute = Schemas["CatalogRoute"];
export type FilePricing = Schemas["CatalogPricing"];
export type FileRouteCost = Schemas["CatalogRouteCost"];

/** Where in the file: keys and indexes from the top. */
export type Path = readonly (string | number)[];

export interface Fault {
  path: Path;
  message: string;
}

/** A fault as the operator sees it. */
export interface Problem {
  line: number;
  message: string;
}

// Describes for the operator what the file's schema (generated from spec/catalog/catalog-file.tsp) finds wrong. The validator stops at
// the first fault, so each provider and model is also validated alone: one run shows one fault of each.

export function schemaFaults(value: unknown, validate: Validate = catalogFile): Fault[] {
  if (validate(value)) return [];
  const first = faultOf(validate);
  if (!isObject(value) || !Array.isArray(value.providers) || !Array.isArray(value.models)) return [first];
  const { providers, models, ...rest } = value;
  const empty = { providers: [], models: [] };
  const faults = [
    ...alone(validate, { ...rest, ...empty }, []),
    ...providers.flatMap((provider, index) => alone(validate, { ...empty, providers: [provider] }, ["providers", index])),
    ...models.flatMap((model, index) => alone(validate, { ...empty, models: [model] }, ["models", index])),
  ];
  return faults.length > 0 ? faults : [first];
}

/** `at` is where the one element of `value` stands in the file. */
function alone(validate: Validate, value: unknown, at: Path): Fault[] {
  if (validate(value)) return [];
  const { path, message } = faultOf(validate);
  return [{ path: [...at, ...path.slice(at.length)], message }];
}

function faultOf(validate: Validate): Fault {
  const errors = validate.errors ?? [];
  // A union reports each branch before itself; the deepest finding is the most specific.
  const error = errors.reduce<ValidationFault | undefined>(
    (best, one) => (best === undefined || depth(one) > depth(best) ? one : best),
    undefined,
  );
  return error === undefined ? { path: [], message: "is not a catalog file" } : described(error);
}

function depth({ instancePath }: ValidationFault): number {
  return instancePath.split("/").length;
}

function described({ keyword, instancePath, params, message = "is wrong", parentSchema }: ValidationFault): Fault {
  const path = instancePath.split("/").slice(1).map(stepOf);
  switch (keyword) {
    case "additionalProperties":
    case "unevaluatedProperties": {
      const key = String(params.additionalProperty ?? params.unevaluatedProperty);
      return { path: [...path, key], message: `unknown key "${key}"${knownKeys(parentSchema)}` };
    }
    case "required":
      return { path, message: `"${String(params.missingProperty)}" is missing` };
    case "discriminator":
      if (params.error === "tag" && params.tagValue === undefined) return { path, message: `"${String(params.tag)}" is missing` };
      return { path: [...path, String(params.tag)], message: `${String(params.tag)}: there is no such ${String(params.tag)}` };
    case "enum":
      return { path, message: `must be one of ${(params.allowedValues as unknown[]).join(", ")}` };
    case "pattern":
      return {
        path,
        message: typeof parentSchema?.description === "string" ? `does not have the right form: ${parentSchema.description}` : message,
      };
    default:
      return { path, message };
  }
}

function knownKeys(schema: Record<string, unknown> | undefined): string {
  const keys = isObject(schema?.properties) ? Object.keys(schema.properties) : [];
  return keys.length === 0 || keys.length > 16 ? "" : `; there are ${keys.join(", ")}`;
}

function stepOf(pointer: string): string | number {
  return /^\d+$/.test(pointer) ? Number(pointer) : pointer.replaceAll("~1", "/").replaceAll("~0", "~");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
