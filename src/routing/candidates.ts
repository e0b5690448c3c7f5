// Orders the routes that could serve a request: the model's own, then those of its fallbacks (docs/behaviour/providers.md#routing).
// Looks neither at health nor at money.
import type { Catalog, Model } from "../catalog/types.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Protocol, Route } from "../providers/types.ts";

/** 0: the model's first route. 1: same model, other provider. 2: same model, reduced precision. 3: other model. */
export type Layer = 0 | 1 | 2 | 3;

export interface Candidate {
  model: Model;
  route: Route;
  routeId: string;
  layer: Layer;
}

/** `mayServe` tells which fallback models can do what the request asks for. */
export function candidatesOf(catalog: Catalog, model: Model, mayServe: (fallback: Model) => boolean): Candidate[] {
  const fallbacks = model.fallbacks
    .flatMap((id) => catalog.models.get(id) ?? [])
    .filter((other) => other.state.kind === "active" && mayServe(other));
  return [model, ...fallbacks].flatMap((served) =>
    served.routes.map((route, index) => ({
      model: served,
      route,
      routeId: `${route.provider.id}/${route.model}`,
      layer: served !== model ? 3 : index === 0 ? 0 : route.reducedPrecision !== null ? 2 : 1,
    })),
  );
}

// The adapter of a verb for a candidate's route.

/** Throws for a protocol without an adapter for the verb. */
export function adapterOf<Adapter>(adapters: Partial<Record<Protocol, Adapter>>, { route }: Pick<Candidate, "route">): Adapter {
  const { protocol } = route.provider;
  const adapter = adapters[protocol];
  if (adapter === undefined) throw new UpstreamError("gone", `no adapter for the protocol ${protocol}`);
  return adapter;
}
