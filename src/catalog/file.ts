// Names for the parts of the catalog file as the operator wrote it, and for faults found in it.
// Types only; what the keys mean stands in spec/catalog/catalog-file.tsp.
import type { components } from "../../generated/api.d.ts";

type Schemas = components["schemas"];

export type CatalogFile = Schemas["CatalogFile"];
export type FileProvider = Schemas["CatalogProvider"];
export type FileModel = Schemas["CatalogModel"];
export type FilePricing = Schemas["CatalogPricing"];

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
