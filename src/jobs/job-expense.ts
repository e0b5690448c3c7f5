// What a job's work costs the operator (docs/behaviour/billing.md#expenses): what was ordered from the moment that a route accepts it, until its
// end says more.
import type { Catalog, RouteCost } from "../catalog/types.ts";
import { expenseOf, type Used } from "../pricing/expense.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { ClaimedJob, JobAttempt } from "./claim.ts";
import type { Delivered, Ending } from "./end-job.ts";
import { isLastWord } from "./follow-ticket.ts";
import type { JobRequest } from "./types.ts";

/** By today's catalog; null: it names none. */
export function costOfRoute({ models }: Pick<Catalog, "models">, modelId: string, routeId: string): RouteCost | null {
  const routes = models.get(modelId)?.routes ?? [];
  return routes.find(({ provider, model }) => `${provider.id}/${model}` === routeId)?.cost ?? null;
}

export function usedByOrder(request: JobRequest): Used {
  return request.kind === "image" ? { images: request.order.count } : { seconds: request.order.seconds };
}

/** Corrects the attempt that was accepted. Work that was given up costs nothing until late-watch.ts finds it made. */
export function correctExpense(catalog: Pick<Catalog, "models">, job: ClaimedJob, attempts: readonly JobAttempt[], ending: Ending): void {
  const accepted = attempts.at(-1);
  if (accepted?.outcome !== "ok" || accepted.cost === undefined) return;
  if ("delivered" in ending) {
    const cost = costOfRoute(catalog, job.model, accepted.route);
    if (cost !== null) accepted.cost = String(expenseOf(cost, usedByFiles(job, ending.delivered)));
  } else if (ending.watch || isUnmade(ending.failure.cause)) accepted.cost = "0";
}

function usedByFiles({ kind }: ClaimedJob, { output: { files }, units }: Delivered): Used {
  return kind === "image" ? { images: files.length } : { seconds: units };
}

/** The provider itself says that it made nothing. */
function isUnmade(cause: unknown): boolean {
  return cause instanceof UpstreamError && isLastWord(cause);
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
