// POST /v1/operator/vouchers: makes vouchers. The answer is the only place where their codes are.
import type { Handler } from "../src/operation.ts";
import { amountOf } from "../src/operators/money.ts";
import { actorOf, readTime } from "../src/operators/requests.ts";
import { batchRecord, makeVouchers } from "../src/operators/vouchers.ts";

export const createVouchers: Handler<"createVouchers"> = async (context, request) => {
  const {
    amount_usd,
    count = 1,
    expires_at,
    credit_days: creditDays = null,
    once_per_account: oncePerAccount = false,
    reason,
  } = request.body;
  const { batch, vouchers } = await makeVouchers(context, actorOf(request), {
    ...{ amount: amountOf("amount_usd", amount_usd), count, creditDays, oncePerAccount, reason: reason.trim() },
    expiresAt: readTime("expires_at", expires_at) ?? null,
    idempotencyKey: request.headers["idempotency-key"] ?? null,
  });
  return { status: 200, body: { ...batchRecord(batch), vouchers } };
};
