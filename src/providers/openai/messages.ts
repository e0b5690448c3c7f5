// Messages over the `openai` protocol: translates the request into a chat request and the chat's answer into a message
// (docs/behaviour/translation.md).
import { UpstreamError } from "../errors/upstream-error.ts";
import { parseLong } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { type AskedMessage, chatToMessage, chatToMessageStream } from "../translation/chat-to-message-stream.ts";
import { messageToChatRequest } from "../translation/message-to-chat-request.ts";
import type { MessageRequest } from "../translation/message-types.ts";
import { openToolNames } from "../translation/tool-names.ts";
import type { Chat } from "../verbs/chat.ts";
import type { Messages } from "../verbs/messages.ts";

export function openaiMessages(chat: Chat): Messages {
  return async (call) => {
    const request = parseLong(wholeOf(call.body)) as MessageRequest;
    const names = openToolNames();
    const body = JSON.stringify(messageToChatRequest(request, names));
    const asked: AskedMessage = {
      model: call.publicModel,
      names,
      stopSequences: request.stop_sequences ?? [],
      showsThinking: !(request.thinking !== undefined && "display" in request.thinking && request.thinking.display === "omitted"),
    };
    const { route, signal, disconnect, requestId, publicModel, account, heard, stream, outputMax } = call;
    const answering = chat({ route, signal, disconnect, requestId, publicModel, account, heard, body, stream, outputMax });
    const promptTokens = stream ? call.promptTokens() : Promise.resolve(0); // counted while the upstream thinks
    const answer = await answering.catch(inCallersWords);
    return answer.kind === "whole" ? chatToMessage(answer, asked) : chatToMessageStream(answer, asked, promptTokens);
  };
}

/** Keeps the upstream's sentence, because agents match its wording. The field at fault is named as the caller knows it, or left out. */
function inCallersWords(error: unknown): never {
  if (!(error instanceof UpstreamError) || error.param === null) throw error;
  const { fault, reason, status, retryAfterMs } = error;
  const param = fieldNames.get(error.param) ?? null;
  throw new UpstreamError(fault, reason, { status, retryAfterMs, param, cause: error });
}

/** Fields of a chat request → the fields of a message request that they come from. */
const fieldNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    model: "model",
    messages: "messages",
    tools: "tools",
    tool_choice: "tool_choice",
    parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
    max_tokens: "max_tokens",
    temperature: "temperature",
    top_p: "top_p",
    stop: "stop_sequences",
    user: "metadata.user_id",
    response_format: "output_config.format",
    reasoning_effort: "output_config.effort",
    reasoning: "thinking",
  }),
);
