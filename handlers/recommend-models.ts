// GET /v1/models/recommend: the editors' choice, or the best models for a use case. Public. src/catalog/answers.ts ranks and explains them.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const recommendModels: Handler<"recommendModels"> = ({ catalog }, { query }) => ({
  status: 200,
  headers,
  bytes: answersOf(catalog).recommendations(query),
});
