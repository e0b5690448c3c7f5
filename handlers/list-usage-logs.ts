// GET /v1/auth/usage/logs: a page of the account's requests, newest first (WIRE.md 15.4).
import { everyKeyLike } from "../src/accounts/key-records.ts";
import { maskedKey } from "../src/accounts/keys.ts";
import { fail } from "../src/fail.ts";
import { logId, parseLogId, readLogs, usageLogRecord } from "../src/ledger/usage-logs.ts";
import type { Handler } from "../src/server/types.ts";

const limitDefault = 50;

export const listUsageLogs: Handler<"listUsageLogs"> = async ({ db }, { caller, query }) => {
  const { limit = limitDefault, after, model, type, status } = query;
  const filter = {
    ...{ model, type, status, from: readTime("from", query.from), to: readTime("to", query.to) },
    after: after === undefined ? undefined : (parseLogId(after) ?? failValue("after", "it must be an id of this list")),
    keyIds: query.key === undefined ? undefined : await everyKeyLike(db, query.key, caller.accountId),
  };
  // No key is like that: nothing matches.
  const rows = filter.keyIds?.length === 0 ? [] : await readLogs(db, caller.accountId, filter, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      object: "list",
      data: page.map((row) => usageLogRecord(row, maskedKey)),
      has_more: rows.length > limit,
      last_id: last === undefined ? null : logId(last),
    },
  };
};

/** The form was checked at the edge; a second that no clock shows is left. */
function readTime(param: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? failValue(param, "it must be a time such as 2026-11-21T10:00:00Z") : time;
}

function failValue(param: string, reason: string): never {
  return fail("invalid_parameter", { param, text: { param, reason } });
}
