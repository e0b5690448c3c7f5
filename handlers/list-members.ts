// GET /v1/workspace/members: a page of the workspace's members, in the order of joining.
import { findMember, memberRecords, readMembers } from "../src/accounts/members.ts";
import { failParameter } from "../src/errors/fail.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";

export const listMembers: Handler<"listMembers"> = async ({ db }, { caller: { accountId }, query: { after, limit } }) => {
  const place = after === undefined ? null : (await findMember(db, accountId, after))?.personId;
  if (place === undefined) failParameter("after", "it must be an id of this list");
  const { rows, hasMore } = await pageOf(limit, (most) => readMembers(db, accountId, place, most));
  const data = await memberRecords(db, accountId, rows);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
