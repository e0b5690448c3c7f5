// GET /v1/credits/auto-topup: the workspace's automatic top-ups.
import type { Handler } from "../src/operation.ts";
import { showAutoTopup } from "../src/payments/auto-topup.ts";

export const getAutoTopup: Handler<"getAutoTopup"> = async (context, { caller: { accountId }, receivedAt: at }) => ({
  status: 200,
  body: await showAutoTopup(context, accountId, at),
});
