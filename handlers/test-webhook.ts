// POST /v1/workspace/webhooks/{webhook}/test: posts an event that says that it is a test.
import type { Handler } from "../src/operation.ts";
import { testEndpoint } from "../src/webhooks/deliveries.ts";
import { endpointId } from "../src/webhooks/endpoints.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const testWebhook: Handler<"testWebhook"> = async ({ db }, { caller, path, receivedAt }) => ({
  status: 200,
  body: await testEndpoint(db, actorOf(caller), endpointId(path.webhook), receivedAt),
});
