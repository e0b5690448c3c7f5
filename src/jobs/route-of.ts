// The route that a job's row names, in today's catalog.
import type { Catalog } from "../catalog/types.ts";
import type { Route } from "../providers/types.ts";

/** `routeId`: provider/upstream model. A route that the model has lost since is still polled; undefined: its provider is gone. */
export function routeOf(catalog: Pick<Catalog, "providers">, routeId: string): Route | undefined {
  for (const provider of catalog.providers.values()) {
    if (routeId.startsWith(`${provider.id}/`))
      return { provider, model: routeId.slice(provider.id.length + 1), reducedPrecision: null, thinking: "adaptive" };
  }
  return undefined;
}
