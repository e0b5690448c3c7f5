// Builds an upstream request with a JSON body.
import { type JsonText, sentOf } from "../json/text.ts";
import type { UpstreamCall } from "../types.ts";
import type { UpstreamRequest } from "./types.ts";

/** `path` is below the provider's base URL. */
export function jsonRequest(
  { route, requestId, signal, account }: UpstreamCall,
  path: string,
  body: JsonText,
  stream = false,
): UpstreamRequest {
  return {
    provider: route.provider,
    method: "POST",
    path,
    body: sentOf(body),
    contentType: "application/json",
    accept: stream ? "text/event-stream, application/json" : "application/json", // hosts may ignore `stream`
    requestId,
    signal,
    account,
  };
}

/** A request without a body; its address may be one that the provider answered with. */
export function bareRequest({ route, requestId, signal }: UpstreamCall, method: "GET" | "PUT", path: string): UpstreamRequest {
  return { provider: route.provider, method, path, body: null, contentType: "", accept: "application/json", requestId, signal };
}
