// Logs, for the operator, why work failed that a route had accepted: failed polls, and what a job ends with. Failed attempts at a route are
// reported by src/routing/attempt.ts.
import { fileFailure } from "../media/fetch-to-file.ts";
import { MediaFault } from "../media/types.ts";
import { type Failure, failureOf, UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Route } from "../providers/types.ts";
import type { ClaimedJob, JobAttempt } from "./claim.ts";
import type { JobFailure } from "./job-failure.ts";
import type { JobParts } from "./parts.ts";

type Reporting = Pick<JobParts, "log" | "counts">;
type Reported = Pick<ClaimedJob, "shown_id">;

/** Polls fail by the hundred while a provider is down: each cause is logged once, until another one replaces it. */
export function openLookTrouble({ log }: Pick<Reporting, "log">, { shown_id: job }: Reported, { provider, model }: Route) {
  let last: string | null = null;
  return {
    met(error: UpstreamError): void {
      const told = failureOf(error);
      if (told.cause === last) return;
      last = told.cause;
      log.warn({ job, route: `${provider.id}/${model}`, upstream_status: error.status, ...told }, "a poll of a job's work failed");
    },
  };
}

/** Stored with the attempt that began the work. A job that no route accepted has its causes with the attempts. */
export function reportTrouble({ log, counts }: Reporting, { shown_id: job }: Reported, attempts: JobAttempt[], failure: JobFailure): void {
  const began = attempts.at(-1);
  const trouble = began?.outcome === "ok" ? troubleBehind(failure) : null;
  if (began === undefined || trouble === null) return;
  Object.assign(began, trouble);
  counts.countFailure(began.route, trouble.cause);
  // It may quote the prompt, which no log holds.
  const mayQuote = failure.cause instanceof UpstreamError && ["rejected", "refused"].includes(failure.cause.fault);
  log.warn({ job, route: began.route, ...(mayQuote ? { cause: trouble.cause } : trouble) }, "an upstream did not finish a job");
}

/** Null: not an upstream's fault. */
function troubleBehind({ code, cause, message }: JobFailure): Failure | null {
  if (cause instanceof UpstreamError) return failureOf(cause);
  if (cause instanceof MediaFault) return fileFailure(cause);
  return code === "timeout" ? { cause: "timeout_answer", detail: message } : null;
}
