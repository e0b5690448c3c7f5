// POST /v1/workspace/webhooks/{webhook}/roll: a new secret; the one before signs as well for a while.
import type { Handler } from "../src/operation.ts";
import { endpointId, rollSecret } from "../src/webhooks/endpoints.ts";

/** A day. */
const graceDefault = 24 * 60 * 60;

export const rollWebhookSecret: Handler<"rollWebhookSecret"> = async (
  { db, config },
  { caller: { accountId }, path, body, receivedAt },
) => {
  const grace = body.grace_seconds ?? graceDefault;
  return { status: 200, body: await rollSecret(db, config, accountId, endpointId(path.webhook), grace, receivedAt) };
};
