// GET /v1/auth/sessions: the person's open sessions, the newest first.
import type { CallerSession } from "../src/accounts/caller.ts";
import { readSessions, sessionRecord } from "../src/accounts/sessions.ts";
import { failParameter } from "../src/errors/fail.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";

export const listSessions: Handler<"listSessions"> = async ({ db }, { caller, query: { after, limit }, receivedAt: at }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  const { rows, hasMore } = await pageOf(limit, async (most) => {
    const found = await readSessions(db, { personId, after, at }, most);
    return found ?? failParameter("after", "it must be an id of this list");
  });
  const data = rows.map((row) => sessionRecord(row, hash));
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
