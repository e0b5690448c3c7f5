// POST /v1/operator/accounts/{id}/adjust: corrects an account's money by one ledger entry.
import type { Handler } from "../src/operation.ts";
import { findAccountId } from "../src/operators/accounts.ts";
import { adjustMoney, amountOf } from "../src/operators/money.ts";
import { actorOf } from "../src/operators/requests.ts";

export const adjustAccount: Handler<"adjustAccount"> = async (context, request) => {
  const { amount_usd, kind = "purchased", entry = null, reason } = request.body;
  const amount = amountOf("amount_usd", amount_usd);
  const accountId = await findAccountId(context, request.path.id);
  const idempotencyKey = request.headers["idempotency-key"] ?? null;
  const asked = { accountId, amount, kind, entry, reason: reason.trim(), idempotencyKey };
  return { status: 200, body: await adjustMoney(context, actorOf(request), asked) };
};
