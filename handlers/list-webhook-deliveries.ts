// GET /v1/workspace/webhooks/{webhook}/deliveries: what was posted, and what was answered.
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { readDeliveries } from "../src/webhooks/deliveries.ts";
import { endpointId, readEndpoint } from "../src/webhooks/endpoints.ts";

export const listWebhookDeliveries: Handler<"listWebhookDeliveries"> = async (
  { db },
  { caller: { accountId }, path, query: { after, limit } },
) => {
  const id = endpointId(path.webhook);
  await readEndpoint(db, accountId, id);
  const { rows, hasMore } = await pageOf(limit, (most) => readDeliveries(db, accountId, id, after, most));
  return { status: 200, body: { object: "list", data: rows, has_more: hasMore, last_id: rows.at(-1)?.id ?? null } };
};
