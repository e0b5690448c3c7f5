// Which model a request names: by id or alias, active, and of a type that an endpoint serves. Each API refuses other types in its own codes.
import { failNotServed, type Resolved, resolveModel, type Wanted } from "../catalog/resolve.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import { fail } from "../errors/fail.ts";

/** Null: unknown, paused, retired, or of a type that is never served. */
export function findServed(catalog: Catalog, id: string): Resolved | null {
  const found = resolveModel(catalog, id);
  return found === undefined || found.model.state.kind !== "active" || endpointOf(found.model) === null ? null : found;
}

/** `type`: what may be suggested in its place. Fails with model_not_found. */
export function servedModel(catalog: Catalog, id: string, type: Wanted): Resolved {
  const model = resolveModel(catalog, id)?.model ?? null;
  return findServed(catalog, id) ?? failNotServed(catalog, { id, param: "model", type, model });
}

/** Fails with model_not_found or wrong_endpoint. */
export function servedModelOf(catalog: Catalog, id: string, types: readonly Model["type"][]): Resolved {
  const found = servedModel(catalog, id, types);
  const { type } = found.model;
  if (!types.includes(type)) fail("wrong_endpoint", { param: "model", text: { model: id, type, endpoint: endpointOf(found.model)! } });
  return found;
}

/** For the sentences of refusals. Null for types that the catalog file accepts and the gateway never serves. */
export function endpointOf({ type, capability }: Model): string | null {
  return capability === null ? endpointOfType[type] : `/v1/audio/${capability}`;
}

const endpointOfType: Record<Model["type"], string | null> = {
  language: "/v1/chat/completions",
  image: "/v1/images/generations",
  video: "/v1/videos/generations",
  embedding: "/v1/embeddings",
  reranking: "/v1/rerank",
  transcription: "/v1/audio/transcriptions",
  "audio-understanding": null,
  realtime: null,
  speech: "/v1/audio/speech",
  decisions: "/v1/decisions",
};
