// POST /v1/workspace/webhooks/{webhook}/roll: a new secret; the one before signs as well for a while.
import type { Handler } from "../src/operation.ts";
import { endpointId, rollSecret } from "../src/webhooks/endpoints.ts";
import { actorOf } from "../src/workspaces/members.ts";

/** A day. */
const graceDefault = 24 * 60 * 60;

export const rollWebhookSecret: Handler<"rollWebhookSecret"> = async ({ db, config }, { caller, path, body, receivedAt }) => {
  const roll = { graceSeconds: body.grace_seconds ?? graceDefault, at: receivedAt };
  return { status: 200, body: await rollSecret(db, config, actorOf(caller), endpointId(path.webhook), roll) };
};
