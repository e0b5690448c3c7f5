// The catalog at the command line: `svc catalog check` reports every fault of a file; the catalog in use, for other commands.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import type { Comparison } from "../catalog/compare.ts";
import { CatalogFault, type Checked, checkCatalog, loadCatalog, type Loaded } from "../catalog/load.ts";
import { catalogPaths } from "../catalog/paths.ts";
import { priceDifferences } from "../catalog/price-history.ts";
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
  const prices = priceDifferences(before?.pricing, after?.pricing);
  const margins = (after?.margins ?? []).filter(
    ({ unit, cost_usd }) => fields.includes("routes") || prices.some(({ key }) => key === unit) || cost_usd > 0,
  );
  return [
    `${change}: ${id}${fields.length === 0 ? "" : ` (${fields.join(", ")})`}`,
    ...prices.map(({ key, before: old, after: now }) => `  ${key}: ${old ?? "none"} -> ${now ?? "none"}`),
    ...margins.map(
      ({ route, unit, price_usd, cost_usd, margin_usd }) => `  ${route} ${unit}: ${price_usd} less ${cost_usd}, margin ${margin_usd} USD`,
    ),
  ];
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
  return loadServed((await newestVersion(db))?.text ?? null, config);
}

/** `applied`: the text of the applied version; null: the file counts. */
export function loadServed(applied: string | null, config: Config, simulatorUrl = simulatorScheme): Loaded {
  if (applied === null) return readCatalog(config, simulatorUrl);
  return loadCatalog({ text: applied, environment: config.environment, simulatorUrl });
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
