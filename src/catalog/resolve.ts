// Finds the model that a request names, by id or by alias (cross-cutting rule 6). Says nothing about whether it may be
// served: paused and retired models are found too, so that the refusal can tell why.
import { fail } from "../errors/fail.ts";
import { cutId } from "../ids.ts";
import { suggestModels, type Wanted } from "./suggest.ts";
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

// The refusal of a model that is not served: unknown, paused or retired (gateway-api.md model_not_found, "Versioning").
// Leaves near matches to suggest.ts.

interface NotServed {
  id: string;
  /** Request field that named it. */
  param: string;
  /** What may be suggested in its place. */
  type: Wanted;
  /** What the catalog holds under that name, active or not. */
  model: Model | null;
}

/** The message names the state, and a replacement when one exists. */
export function failNotServed(catalog: Catalog, { id, param, type, model }: NotServed): never {
  fail("model_not_found", { param, text: { model: cutId(id) || '""', ...stateText(model) }, extra: suggestModels(catalog, id, type) });
}

/** What a refusal's sentence says of a model that is paused or retired (gateway-api.md "Versioning"). */
export function stateText(model: Model | null): Record<string, string> {
  const state = model?.state ?? { kind: "active" };
  return {
    ...(state.kind === "active" ? {} : { state: state.kind }),
    ...(state.kind === "retired" && state.replacement !== null ? { replacement: state.replacement } : {}),
  };
}
