// A circuit breaker for each route in this process (docs/behaviour/providers.md#routing). A wrong decision costs one attempt, never money.

/** Decides whether a route may be tried now, and learns the outcomes. */
export interface Breakers {
  /** True may take the probe of a half-open breaker: report its outcome. */
  admits(routeId: string): boolean;
  /**
   * An answer arrived or began: resets the count of failed calls and, after a probe, closes the breaker. Answers to an open breaker's other
   * calls are ignored, because those calls are older.
   */
  answered(routeId: string): void;
  /** The call got no answer. */
  failed(routeId: string): void;
  /** A stream is complete: resets the count of broken ones. It began long ago, so it says nothing about calls now. */
  ended(routeId: string): void;
  /** A stream was interrupted after it had begun. */
  broke(routeId: string): void;
  /** The attempt ended without information about the route (a 4xx, or its client disconnected). */
  undecided(routeId: string): void;
  /** Routes whose last attempt failed, and whether they are passed over now. */
  failing(): { routeId: string; isOpen: boolean }[];
  /** An operator took the route out of use: it is never tried, not even where all others fail. */
  isDisabled(routeId: string): boolean;
}

interface State {
  /** Calls in a row. */
  failures: number;
  /** Interrupted streams in a row: a host may begin every one and complete none. */
  broken: number;
  /** When an open breaker lets a probe through. */
  opensUntil: number;
  probing: boolean;
}

const failuresToOpen = 5;
const openMs = 5_000;

export function createBreakers(now: () => number = () => performance.now(), isDisabled: Breakers["isDisabled"] = () => false): Breakers {
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
      state.broken = Math.min(state.broken, failuresToOpen - 1); // one more interrupted stream opens it again
      forget(routeId, state, "failures");
    },
    failed: (routeId) => count(routeId, "failures"),
    ended(routeId) {
      const state = states.get(routeId);
      if (state !== undefined && !hasOpened(state)) forget(routeId, state, "broken");
    },
    broke(routeId) {
      const state = states.get(routeId);
      if (state === undefined || !hasOpened(state)) count(routeId, "broken"); // an older stream of an open breaker: the probe decides
    },
    undecided(routeId) {
      const state = states.get(routeId);
      if (state !== undefined) state.probing = false;
    },
    isDisabled,
    failing: () => [...states].map(([routeId, state]) => ({ routeId, isOpen: isOpen(state) })),
  };
}
