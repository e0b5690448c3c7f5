// GET /v1/workspace/notices/log: the workspace's notices, the newest first.
import type { CallerSession } from "../src/accounts/caller.ts";
import { failParameter } from "../src/errors/fail.ts";
import { pageOf } from "../src/ledger/entries.ts";
import { noticeIds, readNotices } from "../src/notices/notices.ts";
import type { Handler } from "../src/operation.ts";

export const listNotices: Handler<"listNotices"> = async ({ db }, { caller, query: { after, limit } }) => {
  const { personId } = caller.session as CallerSession; // the contract accepts no API key here
  const asked = { accountId: caller.accountId, personId, after: after === undefined ? undefined : noticeIds.parse(after) };
  const { rows, hasMore } = await pageOf(
    limit,
    async (most) => (await readNotices(db, asked, most)) ?? failParameter("after", "it must be an id of this list"),
  );
  return { status: 200, body: { object: "list", data: rows, has_more: hasMore, last_id: rows.at(-1)?.id ?? null } };
};
