// What a stream that broke says, in the fields that every dialect shares (gateway-api.md "Events").
import { errors } from "../../generated/errors.ts";
import type { Context } from "../context.ts";
import type { Ask } from "../admission/ask.ts";

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
