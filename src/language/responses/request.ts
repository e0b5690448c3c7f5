// The request adapter of /v1/responses: that of chat, with errors that name the fields of the original request.
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors/fail.ts";
import { UpstreamError } from "../../providers/errors/upstream-error.ts";
import type { ChatStream, ChatWhole } from "../../providers/verbs/chat.ts";
import { chatAdapter } from "../chat/request.ts";
import type { RequestAdapter } from "../serve.ts";
import type { Translated } from "./chat-request.ts";

export function responseAdapter(context: Pick<Context, "providers">, { chat, origins }: Translated): RequestAdapter<ChatWhole, ChatStream> {
  const adapter = chatAdapter(context, chat);
  return {
    ...adapter,
    assertFits(model) {
      try {
        adapter.assertFits(model);
      } catch (error) {
        throw error instanceof ApiError ? renamed(error, origins) : error;
      }
    },
    async call(tried) {
      try {
        return await adapter.call(tried);
      } catch (error) {
        if (!(error instanceof UpstreamError) || error.param === null) throw error;
        const { fault, reason, status, retryAfterMs } = error;
        throw new UpstreamError(fault, reason, { status, retryAfterMs, param: ownParam(error.param, origins), cause: error });
      }
    },
  };
}

const ownNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    response_format: "text.format",
    verbosity: "text.verbosity",
    reasoning_effort: "reasoning.effort",
    max_tokens: "max_output_tokens",
    max_completion_tokens: "max_output_tokens",
  }),
);

/** A message that came from several items is simply `input`. */
function ownParam(param: string, origins: ReadonlyMap<string, string>): string {
  const own = origins.get(param) ?? ownNames.get(param);
  return own ?? (param.startsWith("messages") ? "input" : param);
}

function renamed({ code, details }: ApiError, origins: ReadonlyMap<string, string>): ApiError {
  if (details.param == null) return new ApiError(code, details);
  const param = ownParam(details.param, origins);
  return new ApiError(code, { ...details, param, ...(details.text?.param === undefined ? {} : { text: { ...details.text, param } }) });
}
