// GET /v1/credits/ledger: the caller's ledger entries, newest first. src/ledger/entries.ts reads them.
import { ledgerPage } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";

export const listLedgerEntries: Handler<"listLedgerEntries"> = async ({ db }, { caller, query }) => {
  return { status: 200, body: await ledgerPage(db, caller.accountId, query) };
};
