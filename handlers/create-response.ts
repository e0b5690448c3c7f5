// POST /v1/responses: a chat in the dialect of OpenAI's Responses. The lifecycle is in src/language/serve.ts.
import { assertItemAddresses } from "../src/language/part-addresses.ts";
import { openSummaries } from "../src/language/responses/compaction.ts";
import { responseEncoder, wholeResponse } from "../src/language/responses/reply.ts";
import { responseAdapter, toChatRequest } from "../src/language/responses/chat-request.ts";
import type { Answering } from "../src/language/responses/response-object.ts";
import { answerUngenerated } from "../src/language/responses/ungenerated.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/operation.ts";

export const createResponse: Handler<"createResponse"> = async (context, request, ask) => {
  const translated = toChatRequest(request.body, await openSummaries(context, ask, request.body.input));
  assertItemAddresses(request.body.input, context.config);
  // A quote is about the request that follows.
  if (request.body.generate === false && ask.quote === undefined) return answerUngenerated(context, ask, request.body, translated);
  const served = await serve(context, ask, responseAdapter(context, translated));
  const answering: Answering = {
    ask: served.ask,
    request: { ...request.body, input: "" },
    model: served.call.admitted.model.id,
    protocol: served.protocol,
    offered: translated.offered,
  };
  if (served.kind === "stream") return streamReply(context, served, responseEncoder(context, answering));
  const { answer, bill, headers } = served;
  return { status: 200, headers, body: wholeResponse(context, answering, answer, bill) };
};
