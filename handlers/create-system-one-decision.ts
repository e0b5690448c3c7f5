// POST /v1/systemone: decisions under the path that clients of System One call.
import { answerDecision } from "../src/language/decisions/request-adapter.ts";
import type { Handler } from "../src/operation.ts";

export const createSystemOneDecision: Handler<"createSystemOneDecision"> = async (context, request, ask) => {
  return { status: 200, ...(await answerDecision(context, ask, request.body)) };
};
