// POST /v1/chat/completions. The story is src/language/serve.ts; here it becomes a reply.
import { chatForm } from "../src/language/chat-form.ts";
import { chatOrder } from "../src/language/chat-order.ts";
import { chatUsage } from "../src/language/chat-usage.ts";
import { assertContents } from "../src/language/message-contents.ts";
import { type Ask, serve } from "../src/language/serve.ts";
import { eventStreamHeaders, streamAnswer } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/server/types.ts";

export const createChatCompletion: Handler<"createChatCompletion"> = async (context, request) => {
  const { body } = request;
  assertContents(body.messages);
  const ask: Ask = { ...request, operation: request.operationId };
  const served = await serve(context, ask, chatOrder(context, ask, { text: request.rawBody.toString(), body }));
  const { call, headers } = served;
  if (served.kind === "stream") {
    const form = chatForm(context, ask, served, body.stream_options?.include_usage === true);
    return {
      status: 200,
      headers: { ...headers, ...eventStreamHeaders },
      stream: (sink) => streamAnswer(context, ask, served, form, sink),
    };
  }
  const { answer, bill } = served;
  return { status: 200, headers, body: { ...answer.completion, usage: chatUsage(bill, call.admitted.model) } };
};
