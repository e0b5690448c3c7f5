// GET /v1/models: the listed models, filtered; for Anthropic's clients in pages. Public. The filters are in src/catalog/filters.ts, the pages
// in src/catalog/answers.ts.
import { answersOf } from "../src/catalog/answers.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const listModels: Handler<"listModels"> = ({ catalog }, { query, headers: sent }) => {
  const { limit, after_id, before_id, ...filters } = query;
  const isPaged = limit !== undefined || after_id !== undefined || before_id !== undefined;
  if (!isPaged) return { status: 200, headers, bytes: answersOf(catalog).models(filters) };
  const page = { limit: limit ?? null, after: after_id || null, before: before_id || null };
  const bytes = answersOf(catalog).models(filters, sent["anthropic-version"] === undefined ? undefined : page);
  return { status: 200, headers: { ...headers, vary: "anthropic-version" }, bytes };
};
