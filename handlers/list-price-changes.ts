// GET /v1/pricing/history: changes of prices, newest first. Public. src/catalog/price-history.ts notes and shows them.
import { priceChangePage } from "../src/catalog/price-history.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "cache-control": "public, max-age=60" };

export const listPriceChanges: Handler<"listPriceChanges"> = ({ catalog }, { query }) => {
  return { status: 200, headers, body: priceChangePage(catalog, query) };
};
