// POST /v1/workspace/webhooks: an address that notices are posted to, and the secret that signs them.
import type { Handler } from "../src/operation.ts";
import { createEndpoint } from "../src/webhooks/endpoints.ts";

export const createWebhook: Handler<"createWebhook"> = async ({ db, config }, { caller: { accountId }, body, receivedAt }) => ({
  status: 200,
  body: await createEndpoint(db, config, accountId, body, receivedAt),
});
