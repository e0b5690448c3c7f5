// GET /v1/operator/catalog: the catalog in use.
import type { Handler } from "../src/operation.ts";
import { showCatalog } from "../src/operators/catalog.ts";

export const getOperatorCatalog: Handler<"getOperatorCatalog"> = async (context, { query }) => {
  return { status: 200, body: await showCatalog(context, query.text ?? false) };
};
