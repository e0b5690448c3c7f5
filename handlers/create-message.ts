// POST /v1/messages. The story is src/language/serve.ts; here it becomes a reply.
import { fail } from "../src/fail.ts";
import { messageForm } from "../src/language/message-form.ts";
import { messageOrder } from "../src/language/message-order.ts";
import { assertSchemas } from "../src/language/message-requirements.ts";
import { messageUsage } from "../src/language/message-usage.ts";
import { type Ask, serve } from "../src/language/serve.ts";
import { eventStreamHeaders, streamAnswer } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/server/types.ts";

export const createMessage: Handler<"createMessage"> = async (context, request) => {
  const { body } = request;
  if (body.thread !== undefined) fail("thread_unsupported_request", { param: "thread" });
  assertSchemas(body.tools);
  const ask: Ask = { ...request, operation: request.operationId };
  const betas = request.headers["anthropic-beta"] ?? null;
  const served = await serve(context, ask, messageOrder(context, ask, { text: request.rawBody.toString(), body, betas }));
  const { call, headers } = served;
  if (served.kind === "stream") {
    const form = messageForm(context, ask, served);
    return {
      status: 200,
      headers: { ...headers, ...eventStreamHeaders },
      stream: (sink) => streamAnswer(context, ask, served, form, sink),
    };
  }
  const { answer, bill } = served;
  return { status: 200, headers, body: { ...answer.message, usage: messageUsage(bill, call.admitted.model) } };
};
