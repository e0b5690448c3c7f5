// GET /v1/workspace/webhooks/{webhook}: one endpoint.
import type { Handler } from "../src/operation.ts";
import { endpointId, readEndpoint } from "../src/webhooks/endpoints.ts";

export const getWebhook: Handler<"getWebhook"> = async ({ db }, { caller: { accountId }, path }) => ({
  status: 200,
  body: await readEndpoint(db, accountId, endpointId(path.webhook)),
});
