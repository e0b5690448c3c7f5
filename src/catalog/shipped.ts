// The catalog that comes with the gateway: what is served where the operator sets none, and whose names the documentation is written with.
import { fileURLToPath } from "node:url";
import { loadCatalog } from "./load.ts";
import type { Catalog } from "./types.ts";

export const shippedCatalogPath = fileURLToPath(new URL("./default.yaml", import.meta.url));

/** To read names and prices in: its models lead nowhere. */
export function readShippedCatalog(): Catalog {
  return loadCatalog({ path: shippedCatalogPath, environment: {}, simulatorUrl: "http://127.0.0.1:9" }).catalog;
}
