// POST /v1/credits/topup. The steps are in src/payments/topups.ts.
import { createTopup as create, topupRecord } from "../src/payments/topups.ts";
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const createTopup: Handler<"createTopup"> = async (context, { caller, body, receivedAt }) => {
  const order = { ...actorOf(caller), amountUsd: body.amount_usd, returnUrl: body.return_url, at: receivedAt };
  return { status: 200, body: topupRecord(await create(context, order)) };
};
