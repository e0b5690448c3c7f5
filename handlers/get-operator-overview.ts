// GET /v1/operator/overview: what all accounts called in a time.
import type { Handler } from "../src/operation.ts";
import { readOverview } from "../src/operators/overview.ts";
import { readSpan } from "../src/operators/requests.ts";

export const getOperatorOverview: Handler<"getOperatorOverview"> = async ({ db, clock }, { query }) => {
  const { from, to } = readSpan(query, clock());
  return { status: 200, body: await readOverview(db, from, to) };
};
