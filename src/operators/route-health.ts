// How the calls of a provider or a route went lately, from attempts of every process.
import type { RouteFigure } from "../ledger/read-usage-log.ts";

/** Older calls say nothing about a provider's health now. */
export const healthMinutes = 5;

export interface RouteHealth {
  /** unknown: no calls. */
  health: "ok" | "degraded" | "failing" | "unknown";
  attempts: number;
  failures: number;
  /** The number of calls for each. */
  causes: Record<string, number>;
  last_attempt_at: string | null;
}

/** Outcomes that say nothing of the provider: it was not asked, the client disconnected, or the request was at fault. */
const saysNothing = new Set(["breaker_open", "aborted", "gateway_error", "local_overload"]);
const answers = new Set(["ok", "rejected", "refused"]);

export function healthOf(all: readonly RouteFigure[]): RouteHealth {
  const figures = all.filter(({ outcome }) => !saysNothing.has(outcome));
  const count = (some: readonly RouteFigure[]) => some.reduce((sum, figure) => sum + figure.count, 0);
  const failed = figures.filter(({ outcome, cause }) => !answers.has(outcome) || (outcome === "ok" && cause !== null));
  const [attempts, failures] = [count(figures), count(failed)];
  const causes: Record<string, number> = {};
  for (const { outcome, cause, count } of failed) causes[cause ?? outcome] = (causes[cause ?? outcome] ?? 0) + count;
  const last = figures.reduce((latest, { lastAt }) => Math.max(latest, lastAt.getTime()), 0);
  return {
    health: attempts === 0 ? "unknown" : failures === 0 ? "ok" : failures === attempts ? "failing" : "degraded",
    attempts,
    failures,
    causes,
    last_attempt_at: last === 0 ? null : new Date(last).toISOString(),
  };
}
