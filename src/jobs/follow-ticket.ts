// Polls work that an upstream accepted until it is made or has failed. A failed poll says nothing of the work and is repeated.
import { setTimeout as sleep } from "node:timers/promises";
import type { Catalog } from "../catalog/types.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Route, UpstreamCall } from "../providers/types.ts";
import type { MadeFile, Ticket } from "../providers/verbs/media.ts";
import type { ClaimedJob } from "./claim.ts";
import { failureOf, JobFailure, openLookTrouble } from "./job-failure.ts";
import type { JobParts } from "./parts.ts";

/** The longest retry-after of an upstream that is respected. */
const retryAfterMaxMs = 30_000;
/** After so many unreadable answers in a row the work has failed: each answer may be a hundred megabytes. */
const unreadableMax = 3;

/** Rejects with JobFailure, or with the signal's reason. */
export async function followTicket(
  parts: JobParts,
  job: ClaimedJob,
  { route, ticket }: { route: Route; ticket: Ticket },
  signal: AbortSignal,
): Promise<MadeFile[]> {
  const queue = parts.providers.queues[route.provider.protocol];
  if (queue === undefined) throw new JobFailure("provider_unavailable", "The provider can no longer be asked.");
  const { first, last } = parts.times.lookMs;
  const call = callOf(job, route, signal);
  const trouble = openLookTrouble(parts, job, route);
  let unreadable = 0;
  for (let pause = first; ; pause = Math.min(pause * 1.3, last)) {
    const { looked, waitMs } = await look();
    if (looked?.kind === "made") return looked.files;
    // Random, so that jobs that began together don't poll together.
    await sleep(Math.max(waitMs, pause * (0.75 + Math.random() / 2)), undefined, { signal });
  }

  async function look() {
    try {
      const looked = await queue!.look(call, ticket);
      unreadable = 0;
      return { looked, waitMs: 0 };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UpstreamError)) throw error;
      unreadable = error.fault === "unreadable" ? unreadable + 1 : 0;
      if (isLastWord(error) || unreadable === unreadableMax) throw failureOf(error, { upstream: route.model, shown: job.model });
      trouble.met(error);
      return { looked: null, waitMs: Math.min(error.retryAfterMs ?? 0, retryAfterMaxMs) };
    }
  }
}

/** Whether the work itself failed (see UpstreamQueue), rather than the poll. */
export function isLastWord({ fault }: UpstreamError): boolean {
  return fault === "refused" || fault === "rejected" || fault === "failed";
}

export function callOf({ request_id, model }: Pick<ClaimedJob, "request_id" | "model">, route: Route, signal: AbortSignal): UpstreamCall {
  return { route, signal, requestId: request_id, publicModel: model };
}

// The route that a job's row names, in today's catalog.

/** `routeId`: provider/upstream model. A route that the model has lost since is still polled; undefined: its provider is gone. */
export function routeOf(catalog: Pick<Catalog, "providers">, routeId: string): Route | undefined {
  for (const provider of catalog.providers.values()) {
    if (routeId.startsWith(`${provider.id}/`))
      return { provider, model: routeId.slice(provider.id.length + 1), reducedPrecision: null, thinking: "adaptive", cost: null };
  }
  return undefined;
}
