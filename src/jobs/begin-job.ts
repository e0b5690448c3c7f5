// Asks a model's routes, one after another, to make what a job wants (WIRE.md 10.3). Each is written down before it is asked.
import { ApiError } from "../errors/fail.ts";
import { persist } from "../ledger/persist.ts";
import type { Begun } from "../providers/media.ts";
import { type Route, UpstreamError } from "../providers/types.ts";
import { type Attempt, attempt } from "../routing/attempt.ts";
import { candidatesOf } from "../routing/candidates.ts";
import { loggedTrouble, reportAttempts } from "../routing/report-attempts.ts";
import { type ClaimedJob, type JobAttempt, writeIntent } from "./claim.ts";
import { failureOf, JobFailure, mostTelling } from "./job-failure.ts";
import type { JobParts } from "./parts.ts";

export interface BegunJob {
  begun: Begun;
  route: Route;
}

/** Longer than most restarts of Postgres; nothing has been asked of anybody yet. */
const intentPatienceMs = 30_000;

/** Fills `attempts`. Throws JobFailure when no route took it. */
export async function beginJob(parts: JobParts, job: ClaimedJob, signal: AbortSignal, attempts: JobAttempt[]): Promise<BegunJob> {
  const model = parts.catalog.models.get(job.model);
  const candidates = model === undefined ? [] : candidatesOf(parts.catalog, model, () => false);
  const faults: { error: UpstreamError; upstream: string }[] = [];
  const tried: Attempt[] = [];
  try {
    const { result, candidate } = await attempt(candidates, parts.breakers, signal, tried, async ({ route, routeId }) => {
      await persist(intentPatienceMs, signal, () => writeIntent(parts, job.id, routeId));
      signal.throwIfAborted();
      try {
        return await askRoute(parts, job, route, signal);
      } catch (error) {
        if (error instanceof UpstreamError) faults.push({ error, upstream: route.model });
        throw error;
      }
    });
    return { begun: result, route: candidate.route };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const worst = mostTelling(faults.map((fault) => fault.error));
    if (worst === undefined) throw new JobFailure("provider_unavailable", "The model is not served at the moment.", null, error);
    throw failureOf(worst, { upstream: faults.find((fault) => fault.error === worst)!.upstream, shown: job.model });
  } finally {
    reportAttempts({ log: parts.log, ...parts.counts }, { job: job.shown_id }, tried);
    attempts.push(...tried.map(attemptRecord));
  }
}

async function askRoute(
  { providers }: JobParts,
  { id, request, request_id, model }: ClaimedJob,
  route: Route,
  signal: AbortSignal,
): Promise<Begun> {
  const call = { route, signal, requestId: request_id, publicModel: model, jobId: id };
  const { protocol } = route.provider;
  if (request.kind === "image") {
    const make = providers.pictures[protocol];
    if (make) return await make({ ...call, order: request.order });
  } else {
    const make = providers.clips[protocol];
    if (make) return await make({ ...call, order: request.order });
  }
  throw new UpstreamError("gone", `${protocol} makes no ${request.kind}`);
}

function attemptRecord(attempt: Attempt): JobAttempt {
  const { candidate, outcome, status, latencyMs } = attempt;
  const { routeId: route, model, layer } = candidate;
  return { route, model: model.id, outcome, status, latency_ms: latencyMs, layer, ...loggedTrouble(attempt) };
}
