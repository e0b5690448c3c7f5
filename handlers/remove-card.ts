// DELETE /v1/credits/auto-topup/card: the saved card is no longer charged, and the payment provider forgets it.
import type { Handler } from "../src/operation.ts";
import { removeCard as remove, showAutoTopup } from "../src/payments/auto-topup.ts";

export const removeCard: Handler<"removeCard"> = async (context, { caller: { accountId }, receivedAt: at }) => {
  await remove(context, accountId);
  return { status: 200, body: await showAutoTopup(context, accountId, at) };
};
