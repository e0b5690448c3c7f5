// A breaker per route: opens after 5 failures in a row, for 5 s, then lets one probe through (OPERATOR.md).
// State of one process; a wrong guess costs one attempt, never money.

/** Whether a route may be tried now, and what became of it. */
export interface Breakers {
  /** True takes the probe of a half-open breaker: report its outcome. */
  admits(routeId: string): boolean;
  /**
   * An answer is here, or has begun: the row of failed calls ends, and where this was a probe all are let through again. Of an open breaker's
   * other calls it says nothing: they are older.
   */
  answered(routeId: string): void;
  /** No answer came of the call. */
  failed(routeId: string): void;
  /** A stream is whole: the row of broken ones ends. It began long ago, and says nothing of the calls of now. */
  ended(routeId: string): void;
  /** A stream broke after it had begun. */
  broke(routeId: string): void;
  /** The attempt ended without saying anything of the route (a 4xx, or its client left). */
  undecided(routeId: string): void;
  /** Routes that failed last, and whether they are passed over at the moment. */
  failing(): { routeId: string; isOpen: boolean }[];
}

interface State {
  /** Calls in a row. */
  failures: number;
  /** Streams in a row that broke: a host may begin every one, and end none. */
  broken: number;
  /** When an open breaker lets a probe through. */
  opensUntil: number;
  probing: boolean;
}

const failuresToOpen = 5;
const openMs = 5_000;

export function createBreakers(now: () => number = () => performance.now()): Breakers {
  // Bounded by the routes of the catalog; a route that works has no entry.
  const states = new Map<string, State>();
  const hasOpened = ({ failures, broken }: State) => Math.max(failures, broken) >= failuresToOpen;
  const isOpen = (state: State) => hasOpened(state) && (state.probing || now() < state.opensUntil);
  const count = (routeId: string, what: "failures" | "broken") => {
    const state = states.get(routeId) ?? { failures: 0, broken: 0, opensUntil: 0, probing: false };
    state[what] += 1;
    state.probing = false;
    if (hasOpened(state)) state.opensUntil = now() + openMs;
    states.set(routeId, state);
  };
  const forget = (routeId: string, state: State, what: "failures" | "broken") => {
    state[what] = 0;
    if (state.failures + state.broken === 0) states.delete(routeId);
  };
  return {
    admits(routeId) {
      const state = states.get(routeId);
      if (state === undefined || !hasOpened(state)) return true;
      if (isOpen(state)) return false;
      state.probing = true;
      return true;
    },
    answered(routeId) {
      const state = states.get(routeId);
      if (state === undefined || (hasOpened(state) && !state.probing)) return;
      state.probing = false;
      state.broken = Math.min(state.broken, failuresToOpen - 1); // where they had opened it, the next one does again
      forget(routeId, state, "failures");
    },
    failed: (routeId) => count(routeId, "failures"),
    ended(routeId) {
      const state = states.get(routeId);
      if (state !== undefined && !hasOpened(state)) forget(routeId, state, "broken");
    },
    broke(routeId) {
      const state = states.get(routeId);
      if (state === undefined || !hasOpened(state)) count(routeId, "broken"); // else an older one: the probe decides
    },
    undecided(routeId) {
      const state = states.get(routeId);
      if (state !== undefined) state.probing = false;
    },
    failing: () => [...states].map(([routeId, state]) => ({ routeId, isOpen: isOpen(state) })),
  };
}
