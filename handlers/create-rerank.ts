// POST /v1/rerank. The story is src/language/serve.ts; here it becomes a reply.
import { rankingOf } from "../src/language/ranking.ts";
import { rerankOrder } from "../src/language/rerank-order.ts";
import { type Ask, serveWhole } from "../src/language/serve.ts";
import type { Handler } from "../src/server/types.ts";

export const createRerank: Handler<"createRerank"> = async (context, request) => {
  const { body, rawBody } = request;
  const ask: Ask = { ...request, operation: request.operationId };
  const { answer, bill, headers } = await serveWhole(context, ask, rerankOrder(context, ask, { text: rawBody.toString(), body }));
  return { status: 200, headers, body: rankingOf(answer, bill) };
};
