// What a job's work costs the operator (docs/behaviour/billing.md#expenses): what was ordered from the moment that a route accepts it, until its
// end says more.
import type { Catalog, RouteCost } from "../catalog/types.ts";
import { expenseOf, type Used } from "../pricing/expense.ts";
import type { ClaimedJob, JobAttempt } from "./claim.ts";
import type { JobRequest } from "./types.ts";

/** By today's catalog; null: it names none. */
export function costOfRoute({ models }: Pick<Catalog, "models">, modelId: string, routeId: string): RouteCost | null {
  const routes = models.get(modelId)?.routes ?? [];
  return routes.find(({ provider, model }) => `${provider.id}/${model}` === routeId)?.cost ?? null;
}

export function usedByOrder(request: JobRequest): Used {
  return request.kind === "image" ? { images: request.order.count } : { seconds: request.order.seconds };
}

/** An attempt that was cut off, as `detail` says, before the route's answer was written: the route may have made it. */
export function lostAttempt(
  catalog: Pick<Catalog, "models">,
  { model, route, request }: Pick<ClaimedJob, "model" | "route" | "request">,
  detail = "the gateway was interrupted while the provider was asked",
): JobAttempt[] {
  if (route === null) return [];
  const cost = costOfRoute(catalog, model, route);
  const lost = { cause: "gateway_error", detail };
  return [
    {
      ...{ route, model, outcome: "gateway_error", status: null, latency_ms: 0, layer: 0, ...lost },
      ...(cost === null ? {} : { cost: String(expenseOf(cost, usedByOrder(request))) }),
    },
  ];
}
