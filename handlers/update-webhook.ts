// PATCH /v1/workspace/webhooks/{webhook}: changes an endpoint.
import type { Handler } from "../src/operation.ts";
import { changeEndpoint, endpointId } from "../src/webhooks/endpoints.ts";

export const updateWebhook: Handler<"updateWebhook"> = async ({ db, config }, { caller: { accountId }, path, body }) => ({
  status: 200,
  body: await changeEndpoint(db, config, accountId, endpointId(path.webhook), body),
});
