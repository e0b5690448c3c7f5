// GET /v1/models: the listed models, filtered. Public.
// Leaves the filters to src/catalog/filters.ts.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/server/types.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const listModels: Handler<"listModels"> = ({ catalog }, { query }) => ({
  status: 200,
  headers,
  bytes: answersOf(catalog).models(query),
});
