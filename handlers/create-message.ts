// POST /v1/messages. The lifecycle is in src/language/serve.ts; its result becomes a reply here.
import { fail } from "../src/errors/fail.ts";
import { messageEncoder, messageUsage } from "../src/language/messages/reply.ts";
import { messageAdapter } from "../src/language/messages/request.ts";
import { assertSchemas, givenFields, givenText } from "../src/language/messages/requirements.ts";
import { assertPromptAddresses } from "../src/language/part-addresses.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/operation.ts";

export const createMessage: Handler<"createMessage"> = async (context, request, ask) => {
  const body = givenFields(request.body);
  if (body.thread !== undefined) fail("thread_unsupported_request", { param: "thread" });
  assertSchemas(body.tools);
  assertPromptAddresses(body, context.config);
  const text = givenText(request.body, request.text);
  const betas = request.headers["anthropic-beta"] ?? null;
  const served = await serve(context, ask, messageAdapter(context, { text, body, betas }));
  if (served.kind === "stream") return streamReply(context, served, messageEncoder(context, served));
  const { answer, bill, call, headers } = served;
  return { status: 200, headers, body: { ...answer.message, usage: messageUsage(bill, call.admitted.model) } };
};
