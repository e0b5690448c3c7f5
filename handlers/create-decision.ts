// POST /v1/decisions. The steps are in src/language/decisions/request-adapter.ts; their result becomes a reply here.
import { answerDecision } from "../src/language/decisions/request-adapter.ts";
import type { Handler } from "../src/operation.ts";

export const createDecision: Handler<"createDecision"> = async (context, request, ask) => {
  return { status: 200, ...(await answerDecision(context, ask, request.body)) };
};
