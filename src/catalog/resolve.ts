// Finds the model that a request names, by id or by alias. It finds paused and retired models too, so that the refusal can say
// why they are not served.
import type { Catalog, Model } from "./types.ts";

export interface Resolved {
  model: Model;
  /** The name that was sent, where it was an alias. */
  alias: string | null;
}

export function resolveModel(catalog: Pick<Catalog, "models" | "aliases">, name: string): Resolved | undefined {
  const named = catalog.models.get(name);
  if (named !== undefined) return { model: named, alias: null };
  const aliased = catalog.models.get(catalog.aliases.get(name) ?? "");
  return aliased === undefined ? undefined : { model: aliased, alias: name };
}
