// PATCH /v1/credits/auto-topup: changes the workspace's automatic top-ups. The rules are in src/payments/auto-topup.ts.
import type { Handler } from "../src/operation.ts";
import { changeAutoTopup, showAutoTopup } from "../src/payments/auto-topup.ts";

export const updateAutoTopup: Handler<"updateAutoTopup"> = async (context, { caller: { accountId, session }, body, receivedAt: at }) => {
  await changeAutoTopup(context, { accountId, personId: session!.personId, change: body, at });
  return { status: 200, body: await showAutoTopup(context, accountId, at) };
};
