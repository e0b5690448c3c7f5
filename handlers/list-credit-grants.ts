// GET /v1/credits/grants: the credit that expires, the newest first, with what is left of it.
import { failParameter } from "../src/errors/fail.ts";
import { entryId, findEntry, pageOf } from "../src/ledger/entries.ts";
import { type Grant, readGrants } from "../src/ledger/grants.ts";
import { toUsd } from "../src/money.ts";
import type { Handler } from "../src/operation.ts";

export const listCreditGrants: Handler<"listCreditGrants"> = async ({ db }, { caller: { accountId }, query: { after, limit } }) => {
  const before = after === undefined ? null : (await findEntry(db, accountId, after))?.seq;
  if (before === undefined) failParameter("after", "it must be an id of this list");
  const { rows, hasMore } = await pageOf(limit, (most) => readGrants(db, accountId, before, most));
  const data = rows.map(grantRecord);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};

function grantRecord({ seq, amount, spent, expired, left, createdAt, expiresAt, endedAt }: Grant) {
  return {
    id: entryId(seq),
    object: "credit.grant" as const,
    amount_usd: toUsd(amount),
    spent_usd: toUsd(spent),
    expired_usd: toUsd(expired),
    remaining_usd: toUsd(left),
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
