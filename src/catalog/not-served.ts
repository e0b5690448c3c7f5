// The refusal of a model that is not served: unknown, paused or retired (gateway-api.md model_not_found, "Versioning").
// Leaves near matches to suggest.ts.
import { fail } from "../fail.ts";
import { suggestModels } from "./suggest.ts";
import type { Catalog, Model } from "./types.ts";

export interface AskedModel {
  id: string;
  /** Request field that named it. */
  param: string;
  /** The product line that was asked for; null: any. */
  type: Model["type"] | null;
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
  const state = model?.state ?? { kind: "active" };
  fail("model_not_found", {
    param,
    text: {
      model: shortId(id),
      ...(state.kind === "active" ? {} : { state: state.kind }),
      ...(state.kind === "retired" && state.replacement !== null ? { replacement: state.replacement } : {}),
    },
    extra: suggestModels(catalog, id, type),
  });
}
