// Orders the routes that could serve a request: the model's own, then those of its fallbacks (docs/behaviour/providers.md#routing).
// Looks neither at health nor at money.
import { createHash } from "node:crypto";
import type { Candidate, Catalog, Model, RouteChoice } from "../catalog/types.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Protocol } from "../providers/types.ts";

export type { Candidate } from "../catalog/types.ts";

/**
 * `mayServe` tells which fallback models can do what the request asks for. `keyOf` is asked where routes have weights: requests with one key
 * get one order.
 */
export function candidatesOf(
  catalog: Catalog,
  model: Model,
  mayServe: (fallback: Model) => boolean,
  keyOf: () => string,
): readonly Candidate[] {
  const own = model.weighted ? spread(model.candidates, keyOf()) : model.candidates;
  const all = model.fallbacks.length === 0 ? own : [...own, ...standInsOf(catalog, model, mayServe, keyOf)];
  return model.weighted && own.length > 1 ? chosen(all, { by: "weight" }) : all;
}

function standInsOf(catalog: Catalog, model: Model, mayServe: (fallback: Model) => boolean, keyOf: () => string): Candidate[] {
  const fallbacks = model.fallbacks
    .flatMap((id) => catalog.models.get(id) ?? [])
    .filter((other) => other.state.kind === "active" && mayServe(other));
  return fallbacks.flatMap(({ weighted, standIns }) => (weighted ? spread(standIns, keyOf()) : standIns));
}

/** So many routes of a choice are kept. */
const shownMax = 20;

/** Notes on the first what put them in this order. `scoreOf` absent: no number did. */
export function chosen(
  candidates: readonly Candidate[],
  rule: Pick<RouteChoice, "by" | "first">,
  scoreOf: (routeId: string) => number | null = () => null,
): readonly Candidate[] {
  const [first, ...others] = candidates as [Candidate, ...Candidate[]];
  const routes = candidates.slice(0, shownMax).map(({ routeId, route: { label }, model }) => ({
    route: routeId,
    ...(label === undefined ? {} : { label }),
    ...(model === first.model ? {} : { model: model.id }),
    score: scoreOf(routeId),
  }));
  return [{ ...first, choice: { ...rule, routes } }, ...others];
}

// Routes that have a weight (docs/behaviour/providers.md#weights), by weighted rendezvous hashing: each draws a number from the request's key
// and its own name, and the lowest goes first. Shares follow the weights, one key always gives one order, and a route that comes or goes moves
// no key between the others. No memory is needed for any of it.

/** Routes with a weight by their draw, then the others in the catalog's order. */
function spread(candidates: readonly Candidate[], key: string): readonly Candidate[] {
  const digest = createHash("sha256").update(key).digest();
  const drawn = candidates.map((candidate, index) => ({ candidate, draw: drawOf(candidate, digest), index }));
  drawn.sort((one, other) => (one.draw === other.draw ? one.index - other.index : one.draw - other.draw));
  return drawn.map(({ candidate }, position) => ({ ...candidate, layer: layerAt(candidate, position) }));
}

/** Of the exponential distribution whose rate is the weight: the probability to be the lowest is the share of the weights. */
function drawOf({ route, routeId }: Candidate, key: Buffer): number {
  if (route.weight === undefined) return Infinity;
  const number = createHash("sha256").update(key).update(routeId).digest().readUIntBE(0, 6);
  return -Math.log((number + 0.5) / 2 ** 48) / route.weight;
}

/** As the catalog's order has it: what is asked first is no fallback. */
export function layerAt({ layer, route }: Candidate, position: number): Candidate["layer"] {
  if (layer === 3) return layer;
  if (position === 0) return 0;
  return route.reducedPrecision === null ? 1 : 2;
}

// The adapter of a verb for a candidate's route.

/** Throws for a protocol without an adapter for the verb. */
export function adapterOf<Adapter>(adapters: Partial<Record<Protocol, Adapter>>, { route }: Pick<Candidate, "route">): Adapter {
  const { protocol } = route.provider;
  const adapter = adapters[protocol];
  if (adapter === undefined) throw new UpstreamError("gone", `no adapter for the protocol ${protocol}`);
  return adapter;
}
