// How soon and how fast each route answered lately, in this process (docs/behaviour/providers.md#sorting). A wrong figure costs time, never money.

export interface RouteFigures {
  /** `output`: tokens of an answer that came whole; null: a stream has begun. */
  answered(routeId: string, ms: number, output: number | null): void;
  /** A stream has ended so long after its call. */
  wrote(routeId: string, output: number, ms: number): void;
  /** Null: not measured lately. */
  of(routeId: string, figure: Figure): number | null;
  /** Whether a request is to find out how a route does that was not measured lately: one each second, so that a slow route delays few. */
  probes(routeId: string): boolean;
}

/** Milliseconds to a stream's first record, milliseconds to a whole answer, tokens a second. */
type Figure = "firstMs" | "wholeMs" | "perSecond";

interface Average {
  value: number;
  at: number;
}

type State = Partial<Record<Figure, Average>> & { probedAt?: number };

/** An average forgets half of what it was within three answers. */
const share = 0.2;
const staleMs = 300_000;
const probeMs = 1_000;
/** Routes of catalogs that were replaced leave figures behind. */
const routesMax = 10_000;
/** A shorter answer says nothing about speed. */
const tokensMin = 16;

export function createRouteFigures(now: () => number = () => performance.now()): RouteFigures {
  const states = new Map<string, State>();
  const stateOf = (routeId: string) => {
    let state = states.get(routeId);
    if (state === undefined) {
      if (states.size >= routesMax) states.clear();
      states.set(routeId, (state = {}));
    }
    return state;
  };
  const isFresh = (average: Average | undefined): average is Average => average !== undefined && now() - average.at < staleMs;
  const note = (routeId: string, figure: Figure, value: number) => {
    const state = stateOf(routeId);
    const before = state[figure];
    state[figure] = { value: isFresh(before) ? before.value + share * (value - before.value) : value, at: now() };
  };
  const wrote = (routeId: string, output: number, ms: number) => {
    if (output >= tokensMin) note(routeId, "perSecond", (output * 1000) / Math.max(1, ms));
  };
  return {
    answered(routeId, ms, output) {
      note(routeId, output === null ? "firstMs" : "wholeMs", ms);
      if (output !== null) wrote(routeId, output, ms);
    },
    wrote,
    of(routeId, figure) {
      const average = states.get(routeId)?.[figure];
      return isFresh(average) ? average.value : null;
    },
    probes(routeId) {
      const state = stateOf(routeId);
      if (state.probedAt !== undefined && now() - state.probedAt < probeMs) return false;
      state.probedAt = now();
      return true;
    },
  };
}
