// POST /v1/completions, deprecated: chat in its older shape. The lifecycle is in src/language/serve.ts; its result becomes a reply here.
import { usageAsked } from "../src/language/chat/reply.ts";
import { completionEncoder, textCompletion } from "../src/language/completions/reply.ts";
import { askedCompletion, completionAdapter } from "../src/language/completions/request.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/operation.ts";

const deprecation = { deprecation: "true", link: '</v1/chat/completions>; rel="successor-version"' };

export const createCompletion: Handler<"createCompletion"> = async (context, request, ask) => {
  const { body } = request;
  const asked = askedCompletion(body);
  const served = await serve(context, ask, completionAdapter(context, asked));
  const headers = { ...served.headers, ...deprecation };
  if (served.kind === "stream") {
    const encoder = completionEncoder(context, served, usageAsked(ask, body.stream_options), asked);
    return streamReply(context, { ...served, headers }, encoder);
  }
  const { answer, bill, call } = served;
  return { status: 200, headers, body: textCompletion(answer.completion, call, bill, asked) };
};
