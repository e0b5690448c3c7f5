// POST /v1/workspace/webhooks/{webhook}/deliveries/{delivery}/replay: posts a notice again.
import type { Handler } from "../src/operation.ts";
import { replayDelivery } from "../src/webhooks/deliveries.ts";
import { endpointId } from "../src/webhooks/endpoints.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const replayWebhookDelivery: Handler<"replayWebhookDelivery"> = async ({ db }, { caller, path, receivedAt }) => ({
  status: 200,
  body: await replayDelivery(db, actorOf(caller), endpointId(path.webhook), path.delivery, receivedAt),
});
