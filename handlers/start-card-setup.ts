// POST /v1/credits/auto-topup/card: a page of the payment provider that saves a card.
import type { Handler } from "../src/operation.ts";
import { startCardSetup as start } from "../src/payments/auto-topup.ts";

export const startCardSetup: Handler<"startCardSetup"> = async (context, { caller: { accountId }, body, receivedAt: at }) => {
  const { url, expiresAt } = await start(context, { accountId, returnUrl: body.return_url, at });
  return { status: 200, body: { object: "card.setup", url, expires_at: expiresAt.toISOString() } };
};
