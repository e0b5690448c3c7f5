// What goes out for a chat call: the body as it was given, not one byte changed.
import type { UpstreamRequest } from "../http.ts";
import type { ChatCall } from "../types.ts";

export function chatRequest(call: ChatCall): UpstreamRequest {
  return {
    provider: call.route.provider,
    method: "POST",
    path: "/chat/completions",
    body: call.body,
    contentType: "application/json",
    accept: call.stream ? "text/event-stream, application/json" : "application/json",
    requestId: call.requestId,
    signal: call.signal,
  };
}
