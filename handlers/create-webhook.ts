// POST /v1/workspace/webhooks: an address that notices are posted to, and the secret that signs them.
import type { Handler } from "../src/operation.ts";
import { createEndpoint } from "../src/webhooks/endpoints.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const createWebhook: Handler<"createWebhook"> = async ({ db, config }, { caller, body, receivedAt }) => ({
  status: 200,
  body: await createEndpoint(db, config, actorOf(caller), body, receivedAt),
});
