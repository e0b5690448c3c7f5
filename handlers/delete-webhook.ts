// DELETE /v1/workspace/webhooks/{webhook}: nothing is posted there any more.
import type { Handler } from "../src/operation.ts";
import { deleteEndpoint, endpointId, endpointIdText } from "../src/webhooks/endpoints.ts";

export const deleteWebhook: Handler<"deleteWebhook"> = async ({ db }, { caller: { accountId }, path }) => {
  const id = endpointId(path.webhook);
  await deleteEndpoint(db, accountId, id);
  return { status: 200, body: { deleted: true, id: endpointIdText(id) } };
};
