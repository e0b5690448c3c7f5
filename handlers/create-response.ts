// POST /v1/responses: a chat in the dialect of OpenAI's Responses. The lifecycle is in src/language/serve.ts.
import type { Ask } from "../src/calls/ask.ts";
import type { Context } from "../src/context.ts";
import { assertItemAddresses } from "../src/language/part-addresses.ts";
import { openSummaries } from "../src/language/responses/compaction.ts";
import { type Adding, inTurn } from "../src/language/responses/conversation.ts";
import { responseEncoder, wholeResponse } from "../src/language/responses/reply.ts";
import { responseAdapter, toChatRequest } from "../src/language/responses/chat-request.ts";
import type { Answering } from "../src/language/responses/response-object.ts";
import { addingKeeping, keepingOf, recall } from "../src/language/responses/stored.ts";
import { answerUngenerated } from "../src/language/responses/ungenerated.ts";
import { serve } from "../src/language/serve.ts";
import { streamReply } from "../src/language/stream-answer.ts";
import type { Handler, Request } from "../src/operation.ts";

export const createResponse: Handler<"createResponse"> = (context, request, ask) =>
  inTurn(context, ask, request.body, (adding) => respond(context, request, ask, adding));

async function respond(context: Context, request: Request<"createResponse">, ask: Ask, adding: Adding | null) {
  using recalled = await recall(context, ask.caller, request.body);
  return await recalled.asSent(async () => {
    const { body } = recalled;
    const translated = toChatRequest(body, await openSummaries(context, ask, body.input));
    assertItemAddresses(body.input, context.config);
    // A quote is about the request that follows.
    if (request.body.generate === false && ask.quote === undefined) return answerUngenerated(context, ask, request.body, translated);
    const keeping = addingKeeping(keepingOf(context, ask, request.body, recalled), recalled, adding);
    // A conversation grows with each response, so the same request is another one the next time.
    const kept = adding === null ? ask : { ...ask, keep: undefined };
    const served = await serve(context, kept, responseAdapter(context, translated));
    const { keep, store } = await keeping.begin();
    const answering: Answering = {
      ...{ ask: served.ask, idTail: keeping.idTail, store, request: { ...request.body, input: "" } },
      model: served.call.admitted.model.id,
      protocol: served.protocol,
      offered: translated.offered,
    };
    if (served.kind === "stream") return streamReply(context, served, responseEncoder(context, answering, keep));
    const { answer, bill, headers } = served;
    const whole = wholeResponse(context, answering, answer, bill);
    return { status: 200 as const, headers, body: keep === null ? whole : await keep(whole) };
  });
}
