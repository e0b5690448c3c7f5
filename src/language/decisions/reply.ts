// Decisions from request to body, the same under both paths.
import type { components } from "../../../generated/api.d.ts";
import type { Ask } from "../../calls/ask.ts";
import type { Context } from "../../context.ts";
import { uuidHex } from "../../ids.ts";
import { toUsd } from "../../money.ts";
import { serveWhole } from "../serve.ts";
import { decisionAdapter } from "./request-adapter.ts";
import { decisionModelName, decisionTask } from "./request.ts";

type Schemas = components["schemas"];

export async function answerDecision(
  context: Context,
  ask: Ask,
  request: Schemas["DecisionRequest"],
): Promise<{ headers: Record<string, string>; body: Schemas["DecisionResult"] }> {
  const task = decisionTask(request);
  const name = decisionModelName(context.catalog, request.model);
  const { answer, bill, call, headers } = await serveWhole(context, ask, decisionAdapter(context, name, task));
  const { input, cacheRead, cacheWrite, output } = bill.usage;
  return {
    headers,
    body: {
      id: `dec_${uuidHex(call.hold.id)}`,
      model: call.admitted.model.id,
      answers: Object.fromEntries(task.questions.map(({ id }, at) => [id, answer.answers[at]!])),
      usage: { input_tokens: input + cacheRead + cacheWrite, output_tokens: output, cost: toUsd(bill.cost) },
    },
  };
}
