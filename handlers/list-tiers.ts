// GET /v1/limits/tiers: the tier matrix, ready made. Public.
// Leaves the rows to the catalog file.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };

export const listTiers: Handler<"listTiers"> = ({ catalog }) => ({ status: 200, headers, bytes: answersOf(catalog).tiers });
