// GET /v1/operator/accounts/{id}/ledger: an account's ledger entries, newest first.
import { ledgerPage } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { findAccountId } from "../src/operators/accounts.ts";

export const listAccountLedger: Handler<"listAccountLedger"> = async (context, { path, query }) => {
  return { status: 200, body: await ledgerPage(context.db, await findAccountId(context, path.id), query) };
};
