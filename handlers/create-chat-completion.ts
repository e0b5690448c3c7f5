// POST /v1/chat/completions. The lifecycle is in src/language/serve.ts; its result becomes a reply here.
import { chatEncoder, chatUsage, usageAsked } from "../src/language/chat/reply.ts";
import { assertMessages, chatAdapter } from "../src/language/chat/request.ts";
import { assertChatAddresses } from "../src/language/part-addresses.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/operation.ts";

export const createChatCompletion: Handler<"createChatCompletion"> = async (context, request, ask) => {
  const { body } = request;
  assertMessages(body.messages);
  assertChatAddresses(body, context.config);
  const served = await serve(context, ask, chatAdapter(context, { text: request.text, body }));
  if (served.kind === "stream") return streamReply(context, served, chatEncoder(context, served, usageAsked(ask, body.stream_options)));
  const { answer, bill, call, headers } = served;
  return { status: 200, headers, body: { ...answer.completion, usage: chatUsage(bill, call.admitted.model) } };
};
