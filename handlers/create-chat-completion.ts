// POST /v1/chat/completions. The story is src/language/run-chat.ts; here it becomes a reply.
import { chatUsage } from "../src/language/chat-usage.ts";
import { assertContents } from "../src/language/message-contents.ts";
import { type ChatAsk, runChat } from "../src/language/run-chat.ts";
import { eventStreamHeaders, streamChat } from "../src/language/stream-chat.ts";
import type { Handler } from "../src/server/types.ts";

export const createChatCompletion: Handler<"createChatCompletion"> = async (context, request) => {
  assertContents(request.body.messages);
  const ask: ChatAsk = { ...request, operation: request.operationId, text: request.rawBody.toString() };
  const answer = await runChat(context, ask);
  if (answer.kind === "stream") {
    return { status: 200, headers: { ...answer.headers, ...eventStreamHeaders }, stream: (sink) => streamChat(context, ask, answer, sink) };
  }
  return {
    status: 200,
    headers: answer.headers,
    body: { ...answer.completion, usage: chatUsage(answer.bill, answer.call.admitted.model) },
  };
};
