// A request of /v1/responses with `generate: false`: checked like any other, answered by a response without output. No model is asked, nothing
// is charged. Over a WebSocket the next turn goes on from it.
import type { Ask } from "../../calls/ask.ts";
import { eventStreamHeaders } from "../../calls/event-stream.ts";
import { servedModelOf } from "../../catalog/resolve.ts";
import { assertMayUse, mayUse } from "../../calls/refusals.ts";
import type { Context } from "../../context.ts";
import type { Reply, Sink } from "../../operation.ts";
import { chatProtocol } from "../../providers/vertex/vertex.ts";
import { noUsage } from "../../usage.ts";
import { responseAdapter, type Translated } from "./chat-request.ts";
import { responseEncoder } from "./reply.ts";
import { endedResponse, idTailOf, newResponse } from "./response-object.ts";
import type { ResponseRequest } from "./types.ts";

export async function answerUngenerated(
  context: Context,
  ask: Ask,
  request: ResponseRequest,
  translated: Translated,
): Promise<Reply<"createResponse">> {
  const { model, alias } = servedModelOf(context.catalog, request.model, ["language"]);
  responseAdapter(context, translated).assertFits(model);
  if (!mayUse(ask.caller, model)) await assertMayUse(context, ask.caller, model);
  const [route] = model.routes;
  const protocol = route === undefined ? "openai" : chatProtocol(route);
  const answering = {
    ask,
    idTail: idTailOf(ask),
    store: false,
    request: { ...request, input: "" },
    model: model.id,
    protocol,
    offered: translated.offered,
  };
  const bill = { usage: noUsage, cost: 0n, cacheDiscount: 0n, prices: model.tokens!.logged };
  const headers = { "x-svc-model": model.id, ...(alias === null ? {} : { "x-svc-alias": alias }) };
  if (request.stream === true) {
    const stream = async (sink: Sink) => void (await sink.write(await responseEncoder(context, answering).end(bill)));
    return { status: 200, headers: { ...headers, ...eventStreamHeaders }, stream };
  }
  const body = endedResponse(newResponse(answering), { finish: null, output: [], bill, now: context.clock() });
  return { status: 200, headers, body };
}
