// The refusal of a model that is not served: unknown, paused or retired (gateway-api.md model_not_found, "Versioning").
// Leaves near matches to suggest.ts.
import { fail } from "../fail.ts";
import { suggestModels } from "./suggest.ts";
import type { Catalog, Model } from "./types.ts";

export interface AskedModel {
  id: string;
  /** Request field that named it. */
  param: string;
  /** The product line that was asked for, or all that the endpoint sells; null: any. */
  type: Model["type"] | readonly Model["type"][] | null;
  /** What the catalog holds under that name, active or not. */
  model: Model | null;
}

/** An id may be as long as a body, and a message isn't. */
const shownCharacters = 200;

export function shortId(id: string): string {
  return id.length > shownCharacters ? `${id.slice(0, shownCharacters)}…` : id;
}

/** The message names the state, and a replacement when one exists. */
export function failNotServed(catalog: Catalog, { id, param, type, model }: AskedModel): never {
  fail("model_not_found", { param, text: { model: shortId(id), ...stateText(model) }, extra: suggestModels(catalog, id, type) });
}

/** What a refusal's sentence says of a model that is paused or retired (gateway-api.md "Versioning"). */
export function stateText(model: Model | null): { state?: string; replacement?: string } {
  const state = model?.state ?? { kind: "active" };
  return {
    ...(state.kind === "active" ? {} : { state: state.kind }),
    ...(state.kind === "retired" && state.replacement !== null ? { replacement: state.replacement } : {}),
  };
}
