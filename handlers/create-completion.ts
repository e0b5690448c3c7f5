// POST /v1/completions, deprecated: chat in its older shape. The lifecycle is in src/language/serve.ts; its result becomes a reply here.
import { usageAsked } from "../src/language/chat/reply.ts";
import { chatAdapter } from "../src/language/chat/request.ts";
import { chatOfCompletion, completionEncoder, textCompletion } from "../src/language/completions.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/operation.ts";

const deprecation = { deprecation: "true", link: '</v1/chat/completions>; rel="successor-version"' };

export const createCompletion: Handler<"createCompletion"> = async (context, request, ask) => {
  const { body } = request;
  const chat = chatOfCompletion(body);
  const served = await serve(context, ask, chatAdapter(context, chat));
  const headers = { ...served.headers, ...deprecation };
  if (served.kind === "stream") {
    const encoder = completionEncoder(context, served, usageAsked(ask, body.stream_options));
    return streamReply(context, { ...served, headers }, encoder);
  }
  const { answer, bill, call } = served;
  return { status: 200, headers, body: textCompletion(answer.completion, call, bill, body.echo === true ? chat.prompt : "") };
};
