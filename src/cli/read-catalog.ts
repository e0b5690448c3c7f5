// The catalog that the gateway of this environment sells, for commands that look at its providers.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Refused } from "../accounts/admin.ts";
import { CatalogFault, loadCatalog, type Loaded } from "../catalog/load.ts";
import { simulatorScheme } from "../catalog/provider.ts";
import type { Catalog } from "../catalog/types.ts";
import type { Config } from "../config.ts";
import type { Provider } from "../providers/types.ts";

const shipped = fileURLToPath(new URL("../catalog/default.yaml", import.meta.url));

/** `simulatorUrl`: the address that `simulator:` stands for, or `simulator:` itself to leave it in place. */
export function readCatalog({ catalogPath, environment }: Config, simulatorUrl = simulatorScheme): Loaded {
  try {
    return loadCatalog({ path: catalogPath ?? shipped, environment, simulatorUrl });
  } catch (error) {
    throw error instanceof CatalogFault ? new Refused(error.message) : error;
  }
}

/** readCatalog reports a file that can't be read. */
export function namesSimulator({ catalogPath }: Config): boolean {
  try {
    return catalogPath === null || readFileSync(catalogPath, "utf8").includes(simulatorScheme);
  } catch {
    return false;
  }
}

/** Models that have a route to it, in the file's order. */
export function modelsOf({ models }: Catalog, { id }: Provider) {
  return [...models.values()].filter(({ routes }) => routes.some(({ provider }) => provider.id === id));
}
