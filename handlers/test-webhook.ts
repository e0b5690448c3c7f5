// POST /v1/workspace/webhooks/{webhook}/test: posts an event that says that it is a test.
import type { Handler } from "../src/operation.ts";
import { testEndpoint } from "../src/webhooks/deliveries.ts";
import { endpointId } from "../src/webhooks/endpoints.ts";

export const testWebhook: Handler<"testWebhook"> = async ({ db }, { caller: { accountId }, path, receivedAt }) => ({
  status: 200,
  body: await testEndpoint(db, accountId, endpointId(path.webhook), receivedAt),
});
