// The catalog at the command line: `svc catalog check` reports every fault of a file.
import { readFileSync } from "node:fs";
import { Refused } from "../accounts/admin.ts";
import { CatalogFault, checkCatalog, loadCatalog, type Loaded } from "../catalog/load.ts";
import { catalogPaths } from "../catalog/paths.ts";
import { catalogSource } from "../catalog/sources.ts";
import { simulatorScheme } from "../catalog/provider.ts";
import type { Catalog } from "../catalog/types.ts";
import type { Config } from "../config.ts";
import type { Provider } from "../providers/types.ts";
import type { Input, Outcome } from "./command.ts";

export async function check({ words }: Input): Promise<Outcome> {
  const path = words[0]!;
  const { models, providers, problems, warnings } = checkCatalog(read(path));
  const lines = problems.map(({ line, message }) => `${path}:${line}: ${message}`);
  const warned = warnings.map(({ line, message }) => `${path}:${line}: warning: ${message}`);
  const counts = `${models} models, ${providers} providers, ${problems.length} problems, ${warnings.length} warnings`;
  return { json: { models, providers, problems, warnings }, text: [...lines, ...warned, counts].join("\n"), bad: problems.length > 0 };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Refused(`${path} can't be read`, { cause });
  }
}

// The catalog that the gateway of this environment serves, for commands that look at its providers.

/** `simulatorUrl`: the address that `simulator:` stands for, or `simulator:` itself to leave it in place. */
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
