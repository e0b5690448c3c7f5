// POST /v1/operator/calls/{request_id}/refund: gives the charge of a call or a media job back, once.
import { parseAccountId } from "../src/ids.ts";
import type { Handler } from "../src/operation.ts";
import { amountOf, refundCharge } from "../src/operators/money.ts";
import { actorOf } from "../src/operators/requests.ts";

export const refundCall: Handler<"refundCall"> = async (context, request) => {
  const { amount_usd, account, reason } = request.body;
  const asked = {
    requestId: request.path.request_id,
    account: (account === undefined ? undefined : parseAccountId(account)) ?? null,
    amount: amount_usd === undefined ? null : amountOf("amount_usd", amount_usd),
    reason: reason.trim(),
  };
  return { status: 200, body: await refundCharge(context, actorOf(request), asked) };
};
