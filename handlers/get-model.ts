// GET /v1/models/{id}: one listed model by its id or an alias. Public.
// Leaves near matches to src/catalog/suggest.ts.
import { answersOf } from "../src/catalog/answers.ts";
import { resolveModel } from "../src/catalog/resolve.ts";
import { suggestModels } from "../src/catalog/suggest.ts";
import type { Catalog, Model } from "../src/catalog/types.ts";
import { fail } from "../src/fail.ts";
import type { Handler } from "../src/server/types.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const getModel: Handler<"getModel"> = ({ catalog }, { path }) => {
  const model = resolveModel(catalog, path.id)?.model;
  if (model === undefined || !catalog.listed.includes(model)) refuse(catalog, path.id, model);
  return { status: 200, headers, bytes: answersOf(catalog).model(model) };
};

/** The message names a replacement when one exists (gateway-api.md "Versioning"). */
function refuse(catalog: Catalog, id: string, model: Model | undefined): never {
  const text: Record<string, string> = { model: id };
  const state = model?.state;
  if (state !== undefined && state.kind !== "active") text.state = state.kind;
  if (state?.kind === "retired" && state.replacement !== null) text.replacement = state.replacement;
  fail("model_not_found", { param: "id", text, extra: suggestModels(catalog, id, model?.type ?? null) });
}
