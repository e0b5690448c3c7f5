// GET /v1/credits/ledger: the caller's ledger entries, newest first. src/ledger/entries.ts reads them.
import type { Context } from "../src/context.ts";
import { failParameter } from "../src/errors/fail.ts";
import { entryRecord, findEntry, pageOf, readEntries } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";

export const listLedgerEntries: Handler<"listLedgerEntries"> = async ({ db }, { caller, query }) => {
  const { after, type = null } = query;
  const before = after === undefined ? null : await placeOf(db, caller.accountId, after);
  const { rows, hasMore } = await pageOf(query.limit, (most) => readEntries(db, caller.accountId, { before, type }, most));
  const data = rows.map(entryRecord);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};

async function placeOf(db: Context["db"], accountId: bigint, id: string): Promise<bigint> {
  return (await findEntry(db, accountId, id))?.seq ?? failParameter("after", "it is not the id of an entry in this ledger");
}
