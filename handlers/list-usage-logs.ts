// GET /v1/auth/usage/logs: a page of the account's requests, newest first.
import { everyKeyLike } from "../src/accounts/key-records.ts";
import { maskedKey, parseMaskedKey } from "../src/accounts/keys.ts";
import { failParameter } from "../src/errors/fail.ts";
import { pageOf } from "../src/ledger/entries.ts";
import { logId, parseLogId, readLogs, usageLogRecord } from "../src/ledger/read-usage-log.ts";
import type { Handler } from "../src/operation.ts";

export const listUsageLogs: Handler<"listUsageLogs"> = async ({ db }, { caller, query }) => {
  const { after, model, type, status, tag } = query;
  const filter = {
    ...{ model, type, status, tag, from: readTime("from", query.from), to: readTime("to", query.to) },
    after: after === undefined ? undefined : (parseLogId(after) ?? failParameter("after", "it must be an id of this list")),
    keyIds: query.key === undefined ? undefined : await everyKeyLike(db, { text: notSecret(query.key), accountId: caller.accountId }),
  };
  // The filter matches no key, so nothing matches.
  const read = async (most: number) => (filter.keyIds?.length === 0 ? [] : readLogs(db, caller.accountId, filter, most));
  const { rows, hasMore } = await pageOf(query.limit, read);
  const last = rows.at(-1);
  return {
    status: 200,
    body: {
      object: "list",
      data: rows.map((row) => usageLogRecord(row, maskedKey)),
      has_more: hasMore,
      last_id: last === undefined ? null : logId(last),
    },
  };
};

/** The edge checks the format only, so a time that no clock shows, such as second 61, is refused here. */
export function readTime(param: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? failParameter(param, "it must be a time such as 2026-11-21T10:00:00Z") : time;
}

/** Refuses a whole secret: every log on the way of an address keeps it. */
export function notSecret(key: string): string {
  if (key.startsWith("svc_") && parseMaskedKey(key) === undefined)
    failParameter("key", "it must be the key's id (key_…) or its masked form, never its secret");
  return key;
}
