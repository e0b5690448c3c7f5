// GET /v1/operator/accounts: accounts of the gateway, newest first.
import { parseAccountId } from "../src/ids.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { accountRecord, listSpending } from "../src/operators/accounts.ts";

export const listOperatorAccounts: Handler<"listOperatorAccounts"> = async ({ db, catalog, clock }, { query }) => {
  const { after, email = null, id, status, limit = 50 } = query;
  const filter = {
    before: (after === undefined ? undefined : parseAccountId(after)) ?? null,
    accountId: (id === undefined ? undefined : parseAccountId(id)) ?? null,
    email,
    suspended: status === undefined ? null : status === "suspended",
  };
  const { rows, hasMore } = await pageOf(limit, (most) => listSpending(db, clock(), filter, most));
  const data = rows.map((account) => accountRecord(catalog, account));
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
