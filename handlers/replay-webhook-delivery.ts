// POST /v1/workspace/webhooks/{webhook}/deliveries/{delivery}/replay: posts a notice again.
import type { Handler } from "../src/operation.ts";
import { replayDelivery } from "../src/webhooks/deliveries.ts";
import { endpointId } from "../src/webhooks/endpoints.ts";

export const replayWebhookDelivery: Handler<"replayWebhookDelivery"> = async ({ db }, { caller: { accountId }, path, receivedAt }) => ({
  status: 200,
  body: await replayDelivery(db, accountId, endpointId(path.webhook), path.delivery, receivedAt),
});
