// GET /v1/operator/calls/{request_id}: one call of any account, with each provider's answer and its money.
import { findAccount } from "../src/accounts/admin.ts";
import { fail } from "../src/errors/fail.ts";
import { accountIdText, cutId, parseAccountId } from "../src/ids.ts";
import { readAnyLog, readLog } from "../src/ledger/read-usage-log.ts";
import type { Handler } from "../src/operation.ts";
import { attemptRecord } from "../src/operators/calls.ts";
import { receiptOf } from "./get-receipt.ts";

export const getOperatorCall: Handler<"getOperatorCall"> = async ({ db }, { path, query }) => {
  const requestId = path.request_id;
  const accountId = query.account === undefined ? undefined : parseAccountId(query.account);
  const row = accountId === undefined ? await readAnyLog(db, requestId) : await readLog(db, accountId, requestId);
  if (row === undefined) return fail("request_not_found", { message: `There is no call ${cutId(requestId)}.` });
  const account_id = accountIdText(row.account_id);
  const [receipt, account] = await Promise.all([receiptOf(db, row), findAccount(db, account_id)]);
  const shown = { account_id, email: account!.email, attempts: row.attempts.map(attemptRecord) };
  return { status: 200, body: { ...receipt, object: "operator.call", ...shown } };
};
