// Where the catalog comes from: the operator's file or files; else the shipped one and, before it, the real vendors' whose keys are set.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CatalogFile } from "./file.ts";
import { vendors } from "./import/vendors.ts";
import { readCatalogFile, shippedCatalogPath } from "./load.ts";
import { catalogPaths } from "./paths.ts";

interface CatalogSource {
  path: string;
  /** Put together of several files; undefined: it is the file at `path`. */
  text: string | undefined;
  /** Vendors that are served although the operator names no file. */
  vendors: string[];
}

const folder = fileURLToPath(new URL("../../catalogs/", import.meta.url));

/** Throws CatalogFault for one of several files that is wrong. */
export function catalogSource(named: string | null, environment: Record<string, string | undefined>): CatalogSource {
  const keyed = named === null ? vendorsWithKeys(environment) : [];
  const paths = named === null ? [...keyed.map(catalogOfVendor), shippedCatalogPath] : catalogPaths(named);
  const [only] = paths;
  if (paths.length === 1) return { path: only!, text: undefined, vendors: [] };
  return { path: named ?? "the catalog", text: mergeCatalogs(paths), vendors: keyed };
}

function vendorsWithKeys(environment: Record<string, string | undefined>): string[] {
  return Object.entries(vendors)
    .filter(
      ([name, { provider, copied }]) =>
        copied === undefined && environment[provider.api_key_env]?.trim() && existsSync(catalogOfVendor(name)),
    )
    .map(([name]) => name);
}

/** Ships with the gateway. */
export function catalogOfVendor(name: string): string {
  return `${folder}${name}.yaml`;
}

/** JSON, which is YAML. Of aliases, defaults and other settings the first file's count; an id that stands twice is a fault of the whole. */
function mergeCatalogs(paths: readonly string[]): string {
  const files = paths.map((path) => readCatalogFile(readFileSync(path, "utf8"), path));
  const merged = files.reduce<CatalogFile>(
    (all, { markup_percent: _applied, ...file }) => ({
      ...file,
      ...all,
      providers: [...all.providers, ...file.providers.filter((provider) => !all.providers.some((one) => isSame(one, provider)))],
      models: [...all.models, ...file.models],
      aliases: { ...file.aliases, ...all.aliases },
      defaults: { ...file.defaults, ...all.defaults },
    }),
    { providers: [], models: [] },
  );
  return JSON.stringify(merged);
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
