// POST /v1/operator/providers/{id}/disable: takes a provider or a route out of use for a while.
import type { Handler } from "../src/operation.ts";
import { disableProvider as disable, readUntil } from "../src/operators/disable-provider.ts";
import { actorOf } from "../src/operators/requests.ts";
import { providerRecord } from "../src/operators/providers.ts";

export const disableProvider: Handler<"disableProvider"> = async (context, request) => {
  const { id } = request.path;
  const { upstream_model: model = null, reason, ...time } = request.body;
  const until = readUntil(time, context.clock());
  await disable(context, actorOf(request), { provider: id, model, until, reason: reason.trim() });
  return { status: 200, body: await providerRecord(context, id) };
};
