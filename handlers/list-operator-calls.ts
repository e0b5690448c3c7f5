// GET /v1/operator/calls: calls of all accounts, newest first.
import { failParameter } from "../src/errors/fail.ts";
import { parseAccountId } from "../src/ids.ts";
import { pageOf } from "../src/ledger/entries.ts";
import { readAllLogs } from "../src/ledger/read-all-logs.ts";
import { parseLogId } from "../src/ledger/read-usage-log.ts";
import type { Handler } from "../src/operation.ts";
import { callRecord } from "../src/operators/calls.ts";
import { readTime } from "../src/operators/requests.ts";

/** Without an account or a request id the whole log of that time is searched. */
const searchedMs = 24 * 60 * 60 * 1000;

export const listOperatorCalls: Handler<"listOperatorCalls"> = async ({ db, clock }, { query }) => {
  const { after, account, request_id: requestId, model, status, tag, limit = 50 } = query;
  const accountId = account === undefined ? undefined : parseAccountId(account);
  if (tag !== undefined && accountId === undefined) failParameter("tag", "it needs `account`");
  const [from, to] = [readTime("from", query.from), readTime("to", query.to)];
  const searched = accountId === undefined && requestId === undefined;
  const end = to ?? clock();
  const begin = from ?? (searched ? new Date(end.getTime() - searchedMs) : undefined);
  if (searched && begin !== undefined && end.getTime() - begin.getTime() > searchedMs)
    failParameter("from", "without an account or a request_id it must be at most 24 hours before `to`");
  const place = after === undefined ? undefined : (parseLogId(after) ?? failParameter("after", "it must be an id of this list"));
  const filter = { accountId, requestId, model, status, tag, from: begin, to, after: place };
  const { rows, hasMore } = await pageOf(limit, (most) => readAllLogs(db, filter, most));
  const data = rows.map(callRecord);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
