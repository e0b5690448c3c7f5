// GET /v1/models/{id}: one listed model by its id or an alias. Public. src/catalog/resolve.ts refuses all others.
import { answersOf } from "../src/catalog/answers.ts";
import { failNotServed, resolveModel } from "../src/catalog/resolve.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=60" };

export const getModel: Handler<"getModel"> = ({ catalog }, { path }) => {
  const model = resolveModel(catalog, path.id)?.model ?? null;
  if (model === null || !catalog.listed.includes(model))
    failNotServed(catalog, { id: path.id, param: "id", type: model?.type ?? null, model });
  return { status: 200, headers, bytes: answersOf(catalog).model(model) };
};
