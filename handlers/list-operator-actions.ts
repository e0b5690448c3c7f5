// GET /v1/operator/audit: what operators and the command line changed, newest first.
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { actionRecord, readActions } from "../src/operators/action-log.ts";
import { readTime } from "../src/operators/read-time.ts";

export const listOperatorActions: Handler<"listOperatorActions"> = async ({ db }, { query }) => {
  const { after, who, action, target, limit = 50 } = query;
  const before = after === undefined ? undefined : BigInt(after.slice("act_".length));
  const filter = { before, who, action, target, from: readTime("from", query.from), to: readTime("to", query.to) };
  const { rows, hasMore } = await pageOf(limit, (most) => readActions(db, filter, most));
  const data = rows.map(actionRecord);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
