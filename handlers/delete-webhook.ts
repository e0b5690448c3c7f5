// DELETE /v1/workspace/webhooks/{webhook}: nothing is posted there any more.
import { webhookIdText } from "../src/ids.ts";
import type { Handler } from "../src/operation.ts";
import { deleteEndpoint, endpointId } from "../src/webhooks/endpoints.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const deleteWebhook: Handler<"deleteWebhook"> = async ({ db }, { caller, path }) => {
  const id = endpointId(path.webhook);
  await deleteEndpoint(db, actorOf(caller), id);
  return { status: 200, body: { deleted: true, id: webhookIdText(id) } };
};
