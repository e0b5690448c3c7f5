// Tells the operator how each attempt at an upstream went: all of them for /metrics and traces, an upstream's faults in the log.
import type { Logger } from "pino";
import type { Usage } from "../usage.ts";
import type { Attempt } from "./attempt.ts";

interface Reporting {
  log: Logger;
  /** For /metrics: one attempt at an upstream; `cause` null: it did not fail. */
  countAttempt: (route: string, outcome: string, latencyMs: number, cause: string | null) => void;
}

/** Faults nobody else would tell of: the caller may have been served by another route, and never hears names. `of`: what was attempted; `usage`: what was charged. */
export function reportAttempts(
  { log, countAttempt }: Reporting,
  of: Record<string, string>,
  attempts: readonly Attempt[],
  usage: Usage | null = null,
): void {
  for (const { candidate, outcome, status, latencyMs, trouble, span } of attempts) {
    span?.end({ outcome, status, latencyMs, usage: outcome === "ok" ? usage : null });
    countAttempt(candidate.routeId, outcome, latencyMs, trouble?.cause ?? null);
    if (quiet.has(outcome)) continue;
    const line = { ...of, route: candidate.routeId, fault: outcome, upstream_status: status, ...trouble, ms: latencyMs };
    // Our own key or account at a provider: no retry mends it, and every call falls through to the next route until somebody does.
    if (outcome === "our_fault") log.error(line, "an upstream refuses our credentials or account");
    else log.warn(line, "an upstream did not serve");
  }
}

/** How the usage log keeps a failed attempt's cause. */
export function loggedTrouble({ trouble }: Pick<Attempt, "trouble">): { cause?: string; detail?: string } {
  return trouble === null ? {} : { cause: trouble.cause, detail: trouble.detail };
}

/** What is no fault of an upstream's, or was reported when it was; what a route says of the content may quote a prompt, which no log holds. */
const quiet = new Set(["ok", "interrupted", "aborted", "breaker_open", "rejected", "refused"]);
