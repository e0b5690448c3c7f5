// POST /v1/decisions. The story is src/language/decisions/reply.ts; here it becomes a reply.
import { answerDecision } from "../src/language/decisions/reply.ts";
import type { Handler } from "../src/operation.ts";

export const createDecision: Handler<"createDecision"> = async (context, request) => {
  return { status: 200, ...(await answerDecision(context, request, request.body)) };
};
