// A breaker per route: opens after 5 failures in a row, for 5 s, then lets one probe through (OPERATOR.md).
// State of one process; a wrong guess costs one attempt, never money.

/** Whether a route may be tried now, and what became of it. */
export interface Breakers {
  /** True takes the probe of a half-open breaker: report its outcome. */
  admits(routeId: string): boolean;
  succeeded(routeId: string): void;
  /** A stream has begun: a probe that gets so far lets all through again, but on trust: one failure more opens it. Nothing is counted anew. */
  begun(routeId: string): void;
  failed(routeId: string): void;
  /** The attempt ended without saying anything of the route (a 4xx, or its client left). */
  undecided(routeId: string): void;
  /** Routes that failed last, and whether they are passed over at the moment. */
  failing(): { routeId: string; isOpen: boolean }[];
}

interface State {
  failures: number;
  /** When an open breaker lets a probe through. */
  opensUntil: number;
  probing: boolean;
}

const failuresToOpen = 5;
const openMs = 5_000;

export function createBreakers(now: () => number = () => performance.now()): Breakers {
  // Bounded by the routes of the catalog; a route that works has no entry.
  const states = new Map<string, State>();
  const isOpen = ({ failures, probing, opensUntil }: State) => failures >= failuresToOpen && (probing || now() < opensUntil);
  return {
    admits(routeId) {
      const state = states.get(routeId);
      if (state === undefined || state.failures < failuresToOpen) return true;
      if (isOpen(state)) return false;
      state.probing = true;
      return true;
    },
    succeeded(routeId) {
      states.delete(routeId);
    },
    begun(routeId) {
      const state = states.get(routeId);
      if (state?.probing !== true) return;
      state.failures = failuresToOpen - 1;
      state.probing = false;
    },
    failed(routeId) {
      const state = states.get(routeId) ?? { failures: 0, opensUntil: 0, probing: false };
      state.failures += 1;
      state.probing = false;
      if (state.failures >= failuresToOpen) state.opensUntil = now() + openMs;
      states.set(routeId, state);
    },
    undecided(routeId) {
      const state = states.get(routeId);
      if (state !== undefined) state.probing = false;
    },
    failing: () => [...states].map(([routeId, state]) => ({ routeId, isOpen: isOpen(state) })),
  };
}
