// In which order a request tries what could serve it: the model's routes, then the routes of its fallbacks
// (gateway-api.md, X-Svc-Fallback-Layer). Decides nothing about health or money.
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

/** `mayServe` says which fallback models can do what the request asks for. */
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

// Which adapter serves a verb on a candidate's route.

/** A route of a protocol that has no adapter for the verb serves nothing. */
export function adapterOf<Adapter>(adapters: Partial<Record<Protocol, Adapter>>, { route }: Pick<Candidate, "route">): Adapter {
  const { protocol } = route.provider;
  const adapter = adapters[protocol];
  if (adapter === undefined) throw new UpstreamError("gone", `nothing here is served over the protocol ${protocol}`);
  return adapter;
}
