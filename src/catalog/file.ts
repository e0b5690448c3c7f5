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
// the first fault, so each key of each provider and model is also validated alone: one run shows a fault of each.

export function schemaFaults(value: unknown, validate: Validate = catalogFile): Fault[] {
  if (validate(value)) return [];
  const first = faultOf(validate);
  if (!isObject(value) || !Array.isArray(value.providers) || !Array.isArray(value.models)) return [first];
  const { providers, models } = value;
  const empty = { providers: [], models: [] };
  const provider = { id: "id", protocol: "openai" };
  const model = { id: "id", type: "language" };
  const faults = [
    ...keyByKey({ ...value, ...empty }, { validate, at: [], least: empty, inFile: (rest) => rest }),
    ...providers.flatMap((one, index) =>
      keyByKey(one, { validate, at: ["providers", index], least: provider, inFile: (it) => ({ ...empty, providers: [it] }) }),
    ),
    ...models.flatMap((one, index) =>
      keyByKey(one, { validate, at: ["models", index], least: model, inFile: (it) => ({ ...empty, models: [it] }) }),
    ),
  ];
  return faults.length > 0 ? faults : [first];
}

interface Part {
  validate: Validate;
  /** Where it stands in the file. */
  at: Path;
  /** What no such part may lack, with values that fit. */
  least: Record<string, unknown>;
  /** A file that holds nothing else. */
  inFile: (part: unknown) => unknown;
}

function keyByKey(part: unknown, { validate, at, least, inFile }: Part): Fault[] {
  const faultIn = (one: unknown, place: Path): Fault[] => {
    if (validate(inFile(one))) return [];
    const { path, message } = faultOf(validate);
    return [{ path: [...place, ...path.slice(place.length)], message }];
  };
  const whole = faultIn(part, at);
  if (whole.length === 0 || !isObject(part)) return whole;
  const missing = Object.keys(least).filter((key) => part[key] === undefined);
  const faults = Object.entries(part).flatMap(([key, value]) => {
    const found = faultIn({ ...least, [key]: value }, at);
    const inside = (found[0]?.path.length ?? 0) > at.length + 1;
    if (!inside || !Array.isArray(value)) return found;
    // As many as the list has, where a list of fewer would be a fault of its own.
    const listOf = (item: unknown) => Array.from({ length: Math.min(value.length, 16) }, () => item);
    return value.flatMap((item: unknown, index) => faultIn({ ...least, [key]: listOf(item) }, [...at, key, index]));
  });
  const all = [...missing.map((key) => ({ path: at, message: `"${key}" is missing` })), ...faults];
  return all.length > 0 ? all : whole;
}

/** What the schema finds wrong is left out of the file, so that its references can be checked. */
export interface Misshapen {
  file: CatalogFile;
  /** Providers and models of which only the id, and the place in the list, is left. */
  unread: ReadonlySet<FileProvider | FileModel>;
}

/** Undefined: most references would be missing, or most prices. */
export function withoutMisshapen(value: unknown, faults: readonly Fault[]): Misshapen | undefined {
  if (!isObject(value) || !Array.isArray(value.providers) || !Array.isArray(value.models)) return undefined;
  const wrong = new Set(faults.map(({ path }) => path.slice(0, path[0] === "providers" || path[0] === "models" ? 2 : 1).join()));
  if (["aliases", "markup_percent", ""].some((key) => wrong.has(key))) return undefined;
  const unread = new Set<FileProvider | FileModel>();
  const read = <T extends FileProvider | FileModel>(list: string, parts: unknown[]): T[] =>
    parts.map((part, index) => {
      if (!wrong.has(`${list},${index}`)) return part as T;
      const id = isObject(part) && typeof part.id === "string" ? part.id : `\0${index}`;
      const left = { id } as T;
      unread.add(left);
      return left;
    });
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)));
  const lists = { providers: read<FileProvider>("providers", value.providers), models: read<FileModel>("models", value.models) };
  return { file: { ...rest, ...lists }, unread };
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
