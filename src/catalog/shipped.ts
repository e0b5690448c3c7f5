// The catalog that ships with the gateway: served where the operator sets none. The documentation is written with its names.
import { fileURLToPath } from "node:url";
import { loadCatalog } from "./load.ts";
import type { Catalog } from "./types.ts";

export const shippedCatalogPath = fileURLToPath(new URL("./default.yaml", import.meta.url));

/** For reading names and prices: its models can't be called. */
export function readShippedCatalog(): Catalog {
  return loadCatalog({ path: shippedCatalogPath, environment: {}, simulatorUrl: "http://127.0.0.1:9" }).catalog;
}
