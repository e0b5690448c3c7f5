// POST /v1/completions, deprecated: chat in older words. The story is src/language/serve.ts; here it becomes a reply.
import { chatOrder } from "../src/language/chat/request.ts";
import { completionForm, textCompletion } from "../src/language/completions/reply.ts";
import { chatOfCompletion } from "../src/language/completions/request.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/operation.ts";

const deprecation = { deprecation: "true", link: '</v1/chat/completions>; rel="successor-version"' };

export const createCompletion: Handler<"createCompletion"> = async (context, request) => {
  const { body } = request;
  const chat = chatOfCompletion(body);
  const served = await serve(context, request, chatOrder(context, chat));
  const headers = { ...served.headers, ...deprecation };
  if (served.kind === "stream") {
    const form = completionForm(context, served, body.stream_options?.include_usage === true);
    return streamReply(context, { ...served, headers }, form);
  }
  const { answer, bill, call } = served;
  return { status: 200, headers, body: textCompletion(answer.completion, call, bill, body.echo === true ? chat.prompt : "") };
};
