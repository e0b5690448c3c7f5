// GET /v1/operator/catalog/versions: the versions of the catalog that were applied, newest first.
import type { Handler } from "../src/operation.ts";
import { showVersions } from "../src/operators/catalog.ts";

export const listCatalogVersions: Handler<"listCatalogVersions"> = async (context) => ({ status: 200, body: await showVersions(context) });
