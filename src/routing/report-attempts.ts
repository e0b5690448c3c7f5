// Reports each attempt at an upstream to the operator: all of them to /metrics and traces, an upstream's faults to the log.
import type { Logger } from "pino";
import type { Usage } from "../usage.ts";
import type { Attempt } from "./attempt.ts";

interface Reporting {
  log: Logger;
  /** For /metrics: one attempt at an upstream; `cause` is null where it did not fail. */
  countAttempt: (route: string, outcome: string, latencyMs: number, cause: string | null) => void;
}

/** Logs faults that would stay unseen otherwise: the caller may have been served by another route, and never sees names. `of`: what was attempted; `usage`: what was charged. */
export function reportAttempts(
  { log, countAttempt }: Reporting,
  of: Record<string, string>,
  attempts: readonly Attempt[],
  usage: Usage | null = null,
): void {
  for (const { candidate, outcome, status, latencyMs, failure, span } of attempts) {
    span?.end({ outcome, status, latencyMs, usage: outcome === "ok" ? usage : null });
    countAttempt(candidate.routeId, outcome, latencyMs, failure?.cause ?? null);
    if (quiet.has(outcome)) continue;
    const line = { ...of, route: candidate.routeId, fault: outcome, upstream_status: status, ...failure, ms: latencyMs };
    // Our own key or account at a provider: no retry helps, and every call goes to the next route until the operator fixes it.
    if (outcome === "our_fault") log.error(line, "an upstream refuses our credentials or account");
    else log.warn(line, "an upstream did not serve");
  }
}

/** A failed attempt's cause as the usage log stores it. */
export function loggedFailure({ failure }: Pick<Attempt, "failure">): { cause?: string; detail?: string } {
  return failure === null ? {} : { cause: failure.cause, detail: failure.detail };
}

/** Not an upstream's fault, or reported already. What a route says about the content may quote a prompt, which no log may hold. */
const quiet = new Set(["ok", "interrupted", "aborted", "breaker_open", "rejected", "refused"]);
