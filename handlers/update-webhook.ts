// PATCH /v1/workspace/webhooks/{webhook}: changes an endpoint.
import type { Handler } from "../src/operation.ts";
import { changeEndpoint, endpointId } from "../src/webhooks/endpoints.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const updateWebhook: Handler<"updateWebhook"> = async ({ db, config }, { caller, path, body }) => ({
  status: 200,
  body: await changeEndpoint(db, config, actorOf(caller), endpointId(path.webhook), body),
});
