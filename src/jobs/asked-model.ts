// Which model a media request names: each of the three APIs refuses unknown ids and models of another kind with its own codes
// (docs/behaviour/media-jobs.md#submit).
import { endpointOf } from "../admission/endpoints.ts";
import { type Resolved, resolveModel } from "../catalog/resolve.ts";
import { failNotServed, stateText, suggestModels } from "../catalog/suggest.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import { fail } from "../errors/fail.ts";
import { cutId } from "../ids.ts";

/** Fails with invalid_model, whatever is wrong with the id. */
export function imageModel(catalog: Catalog, id: string): Resolved {
  const found = served(catalog, id);
  if (found === null || found.model.type !== "image") failInvalidModel(catalog, id, "image");
  return found;
}

/** Fails with model_not_found for an id that is not served, with invalid_model for a model that makes no videos. */
export function videoModel(catalog: Catalog, id: string): Resolved {
  const found = served(catalog, id) ?? failNotServed(catalog, { id, param: "model", type: "video", model: namedModel(catalog, id) });
  if (found.model.type !== "video") failInvalidModel(catalog, id, "video");
  return found;
}

/** Fails with model_not_found or wrong_endpoint. */
export function mediaModel(catalog: Catalog, id: string): Resolved {
  const found =
    served(catalog, id) ?? failNotServed(catalog, { id, param: "model", type: ["image", "video"], model: namedModel(catalog, id) });
  const { type } = found.model;
  if (type !== "image" && type !== "video")
    fail("wrong_endpoint", { param: "model", text: { model: id, type, endpoint: endpointOf(found.model)! } });
  return found;
}

/** While no video model is served, every request for a video fails with model_not_found, whatever its body. */
export function assertVideosAreServed(catalog: Catalog): void {
  if (catalog.listed.some(({ type }) => type === "video")) return;
  fail("model_not_found", { param: "model", text: { model: "asked for" }, extra: suggestModels(catalog, "", "video") });
}

function served(catalog: Catalog, id: string): Resolved | null {
  const found = resolveModel(catalog, id);
  return found === undefined || found.model.state.kind !== "active" || endpointOf(found.model) === null ? null : found;
}

function namedModel(catalog: Catalog, id: string): Model | null {
  return resolveModel(catalog, id)?.model ?? null;
}

function failInvalidModel(catalog: Catalog, id: string, type: "image" | "video"): never {
  const article = type === "image" ? "an image" : "a video";
  const elsewhere = served(catalog, id);
  const state: Record<string, string> =
    elsewhere === null ? stateText(namedModel(catalog, id)) : { endpoint: endpointOf(elsewhere.model)! };
  const text = { model: cutId(id), type: article, ...state };
  fail("invalid_model", { param: "model", text, extra: suggestModels(catalog, id, type) });
}
