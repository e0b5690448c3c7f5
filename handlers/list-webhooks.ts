// GET /v1/workspace/webhooks: the endpoints of the workspace.
import type { Handler } from "../src/operation.ts";
import { listEndpoints } from "../src/webhooks/endpoints.ts";

export const listWebhooks: Handler<"listWebhooks"> = async ({ db }, { caller: { accountId } }) => ({
  status: 200,
  body: { object: "list", data: await listEndpoints(db, accountId), has_more: false },
});
