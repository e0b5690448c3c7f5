// GET /v1/pricing: every price, precomputed. Public. src/catalog/price-rows.ts makes the rows.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const getPricing: Handler<"getPricing"> = ({ catalog }) => ({ status: 200, headers, bytes: answersOf(catalog).pricing });
