// Chat over the `anthropic` protocol: translates the request into the Anthropic dialect and the answer back into OpenAI's.
// translation/ owns the mapping, messages.ts the call.
import { type Clock, systemClock } from "../../clock.ts";
import { parseLong } from "../json/exact-numbers.ts";
import { objectOf } from "../json/read.ts";
import { wholeOf } from "../json/text.ts";
import { chatToMessageRequest } from "../translation/chat-to-message-request.ts";
import { messageToChatAnswer, messageToChatStream } from "../translation/message-to-chat-stream.ts";
import type { Chat } from "../verbs/chat.ts";
import type { Messages } from "../verbs/messages.ts";

export function anthropicChat(messages: Messages, clock: Clock = systemClock): Chat {
  return async (call) => {
    const request = chatToMessageRequest(objectOf(parseLong(wholeOf(call.body))), call);
    const answer = await messages({ ...call, body: JSON.stringify(request), betas: null, promptTokens: noCount });
    return answer.kind === "whole" ? messageToChatAnswer(answer, clock()) : messageToChatStream(answer, call.publicModel, clock());
  };
}

/** A chat stream reports no prompt tokens before its end. */
async function noCount(): Promise<number> {
  return 0;
}
