// What streams of server-sent events share, of any dialect and operation: their headers, when a silent one sends a sign of life, and the error
// of an interrupted one.
import { errors } from "../../generated/errors.ts";
import type { Context } from "../context.ts";
import type { Ask } from "./ask.ts";

/** Proxies close silent connections after 15 s and more. */
export const keepAliveMs = 10_000;

export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** In the fields that every dialect shares (docs/behaviour/streams.md#interrupted). */
export function streamFault({ publicUrl }: Pick<Context, "publicUrl">, { requestId }: Pick<Ask, "requestId">) {
  const { message, type, retryable } = errors.stream_interrupted;
  return {
    message,
    type,
    code: "stream_interrupted" as const,
    param: null,
    retryable,
    request_id: requestId,
    doc_url: `${publicUrl}/docs/errors#stream_interrupted`,
  };
}
