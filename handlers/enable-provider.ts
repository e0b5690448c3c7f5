// POST /v1/operator/providers/{id}/enable: uses a disabled provider or route again.
import type { Handler } from "../src/operation.ts";
import { enableProvider as enable } from "../src/operators/disable-provider.ts";
import { actorOf } from "../src/operators/requests.ts";
import { providerRecord } from "../src/operators/providers.ts";

export const enableProvider: Handler<"enableProvider"> = async (context, request) => {
  const { id } = request.path;
  const { upstream_model: model = null, reason } = request.body;
  await enable(context, actorOf(request), { provider: id, model, reason: reason.trim() });
  return { status: 200, body: await providerRecord(context, id) };
};
