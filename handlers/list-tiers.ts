// GET /v1/limits/tiers: the catalog's tiers and their limits, precomputed. Public.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };

export const listTiers: Handler<"listTiers"> = ({ catalog }) => ({ status: 200, headers, bytes: answersOf(catalog).tiers });
