// Tells the operator how each attempt at an upstream went: all of them for /metrics and traces, an upstream's faults in the log.
import type { Logger } from "pino";
import type { Usage } from "../usage.ts";
import type { Attempt } from "./attempt.ts";

interface Reporting {
  log: Logger;
  /** For /metrics: one attempt at an upstream. */
  countAttempt: (route: string, outcome: string, latencyMs: number) => void;
}

/** Faults nobody else would tell of: the caller may have been served by another route, and never hears names. `of`: what was attempted; `usage`: what was charged. */
export function reportAttempts(
  { log, countAttempt }: Reporting,
  of: Record<string, string>,
  attempts: readonly Attempt[],
  usage: Usage | null = null,
): void {
  for (const { candidate, outcome, status, latencyMs, span } of attempts) {
    span?.end({ outcome, status, latencyMs, usage: outcome === "ok" ? usage : null });
    countAttempt(candidate.routeId, outcome, latencyMs);
    if (quiet.has(outcome)) continue;
    const line = { ...of, route: candidate.routeId, fault: outcome, upstream_status: status, ms: latencyMs };
    // Our own key or account at a provider: no retry mends it, and every call falls through to the next route until somebody does.
    if (outcome === "our_fault") log.error(line, "an upstream refuses our credentials or account");
    else log.warn(line, "an upstream did not serve");
  }
}

/** What is no fault of an upstream's, or was reported when it was. */
const quiet = new Set(["ok", "interrupted", "aborted", "breaker_open", "rejected", "refused"]);
