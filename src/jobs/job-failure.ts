// Why a job failed, by the contract's codes (docs/behaviour/media-jobs.md#failures). Customers read the message: it has no upstream's name,
// address or model id; the log for the operator has the cause.
import { fileFailure } from "../media/fetch-to-file.ts";
import { MediaFault } from "../media/types.ts";
import { type Failure, failureOf as upstreamFailureOf, UpstreamError, type UpstreamFault } from "../providers/errors/upstream-error.ts";
import type { Route } from "../providers/types.ts";
import type { ClaimedJob, JobAttempt } from "./claim.ts";
import type { JobParts } from "./parts.ts";
import { failureSentences, type JobErrorCode } from "./types.ts";

export class JobFailure extends Error {
  readonly code: JobErrorCode;
  /** The upstream's own code for it; null: none. */
  readonly word: string | null;

  constructor(code: JobErrorCode, message: string, word: string | null = null, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.word = word;
  }
}

/** `names`: the upstream's name of the model, and the customers'. */
export function failureOf(error: UpstreamError, names: { upstream: string; shown: string }): JobFailure {
  const code = error.job?.code ?? codes[error.fault];
  const toldFor = error.fault === "rejected" || error.fault === "refused" || error.job !== null;
  const reason = toldFor && toCustomer.has(code) ? `: ${error.reason.replaceAll(names.upstream, names.shown).trim()}` : "";
  const sentence = failureSentences[code] + reason;
  return new JobFailure(code, /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`, error.job?.word ?? null, error);
}

/** For a file that could not be stored. */
export function failureOfFile(error: unknown): JobFailure {
  const message = error instanceof MediaFault ? error.message : "What was made could not be stored.";
  return new JobFailure("provider_error", message, null, error);
}

/** The most helpful failure of several routes: what the customer can fix before what only time can. */
export function mostTelling(errors: readonly UpstreamError[]): UpstreamError | undefined {
  return [...errors].sort((one, other) => rank(one) - rank(other))[0];
}

const ranked: readonly UpstreamFault[] = [
  "rejected",
  "refused",
  "failed",
  "rate_limited",
  "unavailable",
  "unreadable",
  "local_overload",
  "gone",
  "our_fault",
];

function rank({ fault }: UpstreamError): number {
  return ranked.indexOf(fault);
}

const codes: Record<UpstreamFault, JobErrorCode> = {
  rejected: "invalid_input",
  refused: "content_policy",
  rate_limited: "provider_rate_limited",
  unavailable: "provider_unavailable",
  local_overload: "provider_unavailable",
  our_fault: "provider_unavailable",
  gone: "provider_unavailable",
  unreadable: "provider_error",
  failed: "provider_error",
};

/** Codes whose upstream sentence helps the customer. */
const toCustomer: ReadonlySet<JobErrorCode> = new Set([
  "content_policy",
  "content_policy_likeness",
  "content_policy_nsfw",
  "content_policy_unsafe",
  "moderation_blocked",
  "input_too_large",
  "input_invalid",
  "invalid_input",
  "prompt_too_long",
]);

// Logs, for the operator, why work failed that a route had accepted: failed polls, and what a job ends with. Failed attempts at a route are
// reported by src/routing/attempt.ts.

type Reporting = Pick<JobParts, "log" | "counts">;
type Reported = Pick<ClaimedJob, "shown_id">;

/** Polls fail by the hundred while a provider is down: each cause is logged once, until another one replaces it. */
export function openLookTrouble({ log }: Pick<Reporting, "log">, { shown_id: job }: Reported, { provider, model }: Route) {
  let last: string | null = null;
  return {
    met(error: UpstreamError): void {
      const told = upstreamFailureOf(error);
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
  if (cause instanceof UpstreamError) return upstreamFailureOf(cause);
  if (cause instanceof MediaFault) return fileFailure(cause);
  return code === "timeout" ? { cause: "timeout_answer", detail: message } : null;
}
