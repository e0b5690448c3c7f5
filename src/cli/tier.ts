// The tier of an account by the catalog of this environment; loaded for the one command that shows it.
import { fileURLToPath } from "node:url";
import { loadCatalog } from "../catalog/load.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Config } from "../config.ts";
import type { Amount } from "../money.ts";

const shippedCatalog = fileURLToPath(new URL("../catalog/default.yaml", import.meta.url));

export function tierNumber(config: Config, purchased: Amount): number {
  const path = config.catalogPath ?? shippedCatalog;
  const { catalog } = loadCatalog({ path, environment: config.environment, simulatorUrl: null });
  return tierOf(catalog, purchased).tier;
}
