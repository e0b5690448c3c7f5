// POST /v1/responses: a chat of the same content, asked and answered in the words of OpenAI's Responses.
import { type Answering, responseForm, wholeResponse } from "../src/language/responses/answer.ts";
import { toChatRequest } from "../src/language/responses/chat-request.ts";
import { responseOrder } from "../src/language/responses/order.ts";
import { type Ask, serve } from "../src/language/serve.ts";
import { eventStreamHeaders, streamAnswer } from "../src/language/stream-answer.ts";
import type { Handler } from "../src/server/types.ts";

export const createResponse: Handler<"createResponse"> = async (context, request) => {
  const translated = toChatRequest(request.body);
  const ask: Ask = { ...request, operation: request.operationId };
  const served = await serve(context, ask, responseOrder(context, ask, translated));
  const { call, headers } = served;
  const { offered } = translated;
  const answering: Answering = { ask, request: request.body, model: call.admitted.model.id, offered };
  if (served.kind === "stream") {
    const form = responseForm(context, answering);
    return {
      status: 200,
      headers: { ...headers, ...eventStreamHeaders },
      stream: (sink) => streamAnswer(context, ask, served, form, sink),
    };
  }
  return { status: 200, headers, body: wholeResponse(context, answering, served.answer, served.bill) };
};
