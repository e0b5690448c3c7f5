// DELETE /v1/credits/auto-topup/card: the saved card is no longer charged, and the payment provider forgets it.
import type { Handler } from "../src/operation.ts";
import { removeCard as remove, showAutoTopup } from "../src/payments/auto-topup.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const removeCard: Handler<"removeCard"> = async (context, { caller, receivedAt: at }) => {
  await remove(context, actorOf(caller));
  return { status: 200, body: await showAutoTopup(context, caller.accountId, at) };
};
