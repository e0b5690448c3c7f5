// The catalog at the command line: `svc catalog check` reports every fault of a file; the catalog in use, for other commands.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import type { Comparison } from "../catalog/compare.ts";
import { CatalogFault, type Checked, checkCatalog, loadCatalog, type Loaded } from "../catalog/load.ts";
import { catalogPaths } from "../catalog/paths.ts";
import { catalogSource } from "../catalog/sources.ts";
import { simulatorScheme } from "../catalog/provider.ts";
import type { Catalog } from "../catalog/types.ts";
import { newestVersion } from "../catalog/versions.ts";
import type { Config } from "../config.ts";
import type { Queries } from "../db/connect.ts";
import type { Provider } from "../providers/types.ts";
import type { Input, Outcome } from "./command.ts";

export async function check({ words }: Input): Promise<Outcome> {
  const path = words[0]!;
  const checked = checkCatalog(read(path));
  return { json: checked, text: problemLines(path, checked).join("\n"), bad: checked.problems.length > 0 };
}

export function problemLines(path: string, { models, providers, problems, warnings }: Checked): string[] {
  return [
    ...problems.map(({ line, message }) => `${path}:${line}: ${message}`),
    ...warnings.map(({ line, message }) => `${path}:${line}: warning: ${message}`),
    `${models} models, ${providers} providers, ${problems.length} problems, ${warnings.length} warnings`,
  ];
}

/** A model that differs: its prices before and after, and the margins at what its routes cost. */
export function changeLines({ id, change, fields, before, after }: Comparison["changes"][number]): string[] {
  const [old, now] = [pricesOf(before?.pricing), pricesOf(after?.pricing)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  const margins = (after?.margins ?? []).filter(({ unit, cost_usd }) => fields.includes("routes") || keys.includes(unit) || cost_usd > 0);
  return [
    `${change}: ${id}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}`,
    ...keys.map((key) => `  ${key}: ${old.get(key) ?? "none"} -> ${now.get(key) ?? "none"}`),
    ...margins.map(
      ({ route, unit, price_usd, cost_usd, margin_usd }) => `  ${route} ${unit}: ${price_usd} less ${cost_usd}, margin ${margin_usd} USD`,
    ),
  ];
}

/** `long_context.input` to its price, as text. */
function pricesOf(pricing: object | null | undefined, before = ""): Map<string, string> {
  return new Map(
    Object.entries(pricing ?? {}).flatMap(([key, value]: [string, unknown]) =>
      typeof value === "object" && value !== null
        ? [...pricesOf(value, `${before}${key}.`)]
        : [[`${before}${key}`, String(value)] as const],
    ),
  );
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Refused(`${path} can't be read`, { cause });
  }
}

// The catalog that the gateway of this environment serves, for commands that look at its providers.

/** The applied version, or the file if none was applied. */
export async function readServed(db: Queries, config: Config): Promise<Loaded> {
  const { text } = (await newestVersion(db)) ?? { text: null };
  return text === null ? readCatalog(config) : loadCatalog({ text, environment: config.environment, simulatorUrl: simulatorScheme });
}

/** Of the file. `simulatorUrl`: the address that `simulator:` stands for, or `simulator:` itself to leave it in place. */
export function readCatalog({ catalogPath, environment }: Config, simulatorUrl = simulatorScheme): Loaded {
  try {
    return loadCatalog({ ...catalogSource(catalogPath, environment), environment, simulatorUrl });
  } catch (error) {
    throw error instanceof CatalogFault ? new Refused(error.message) : error;
  }
}

/** readCatalog reports a file that can't be read. */
export function namesSimulator({ catalogPath }: Config): boolean {
  try {
    return catalogPath === null || catalogPaths(catalogPath).some((path) => readFileSync(path, "utf8").includes(simulatorScheme));
  } catch {
    return false;
  }
}

/** Models that have a route to it, in the file's order. */
export function modelsOf({ models }: Catalog, { id }: Provider) {
  return [...models.values()].filter(({ routes }) => routes.some(({ provider }) => provider.id === id));
}
