// Orders the routes that could serve a request: the model's own, then those of its fallbacks (docs/behaviour/providers.md#routing).
// Looks neither at health nor at money.
import type { Candidate, Catalog, Model } from "../catalog/types.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Protocol } from "../providers/types.ts";

export type { Candidate } from "../catalog/types.ts";

/** `mayServe` tells which fallback models can do what the request asks for. */
export function candidatesOf(catalog: Catalog, model: Model, mayServe: (fallback: Model) => boolean): readonly Candidate[] {
  if (model.fallbacks.length === 0) return model.candidates;
  const fallbacks = model.fallbacks.flatMap((id) => catalog.models.get(id) ?? []);
  return [
    ...model.candidates,
    ...fallbacks.filter((other) => other.state.kind === "active" && mayServe(other)).flatMap(({ standIns }) => standIns),
  ];
}

// The adapter of a verb for a candidate's route.

/** Throws for a protocol without an adapter for the verb. */
export function adapterOf<Adapter>(adapters: Partial<Record<Protocol, Adapter>>, { route }: Pick<Candidate, "route">): Adapter {
  const { protocol } = route.provider;
  const adapter = adapters[protocol];
  if (adapter === undefined) throw new UpstreamError("gone", `no adapter for the protocol ${protocol}`);
  return adapter;
}
