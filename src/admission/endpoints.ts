// The endpoint that serves a type of model, for the sentence of wrong_endpoint.
import type { Model } from "../catalog/types.ts";

/** Null for types that the catalog file accepts and the gateway never serves. */
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
