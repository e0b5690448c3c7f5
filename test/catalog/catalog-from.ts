// Loads a catalog from YAML in a test, as the gateway loads an operator's file.
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Catalog } from "../../src/catalog/types.ts";

export function catalogFrom(text: string): Catalog {
  return loadCatalog({ text, environment: {} }).catalog;
}
