// GET /v1/credits/ledger: the caller's ledger entries, newest first. Reading them is src/ledger/entries.ts.
import type { Context } from "../src/context.ts";
import { fail } from "../src/fail.ts";
import { entryRecord, findEntry, readEntries } from "../src/ledger/entries.ts";
import type { Handler } from "../src/server/types.ts";

export const listLedgerEntries: Handler<"listLedgerEntries"> = async ({ db }, { caller, query }) => {
  const { limit = 50, after, type = null } = query;
  const before = after === undefined ? null : await placeOf(db, caller.accountId, after);
  const found = await readEntries(db, caller.accountId, { limit, before, type });
  const data = found.slice(0, limit).map(entryRecord);
  return { status: 200, body: { object: "list", data, has_more: found.length > limit, last_id: data.at(-1)?.id ?? null } };
};

async function placeOf(db: Context["db"], accountId: bigint, id: string): Promise<bigint> {
  const place = await findEntry(db, accountId, id);
  if (place === undefined)
    fail("invalid_parameter", { param: "after", text: { param: "after", reason: "it is no id of an entry in this ledger" } });
  return place;
}
