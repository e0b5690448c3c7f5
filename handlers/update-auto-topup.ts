// PATCH /v1/credits/auto-topup: changes the workspace's automatic top-ups. The rules are in src/payments/auto-topup.ts.
import type { Handler } from "../src/operation.ts";
import { changeAutoTopup, showAutoTopup } from "../src/payments/auto-topup.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const updateAutoTopup: Handler<"updateAutoTopup"> = async (context, { caller, body, receivedAt: at }) => {
  await changeAutoTopup(context, { ...actorOf(caller), change: body, at });
  return { status: 200, body: await showAutoTopup(context, caller.accountId, at) };
};
