// GET /v1/pricing: every price, ready made. Public.
// Leaves the rows to src/catalog/price-rows.ts.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const getPricing: Handler<"getPricing"> = ({ catalog }) => ({ status: 200, headers, bytes: answersOf(catalog).pricing });
