// The response itself: what it repeats of its request, and what it says once it has ended.
import { toUsd } from "../../money.ts";
import type { Bill } from "../open-call.ts";
import type { Ask } from "../../admission/ask.ts";
import type { OfferedTools } from "./tools.ts";
import type { OutputItem, ResponseObject, ResponseRequest } from "./types.ts";

/** What every id of an answer ends with. */
export function idTailOf({ requestId }: Pick<Ask, "requestId">): string {
  return requestId.replace(/^req_/, "");
}

/** A response that has only begun. */
export function newResponse(
  ask: Pick<Ask, "requestId" | "receivedAt">,
  request: ResponseRequest,
  model: string,
  { shown }: OfferedTools,
): ResponseObject {
  return {
    id: `resp_${idTailOf(ask)}`,
    object: "response",
    created_at: seconds(ask.receivedAt),
    completed_at: null,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    ...(request.prompt_cache_key == null ? {} : { prompt_cache_key: request.prompt_cache_key }),
    reasoning: request.reasoning ?? null,
    ...(request.safety_identifier == null ? {} : { safety_identifier: request.safety_identifier }),
    temperature: request.temperature ?? null,
    text: { ...request.text, format: request.text?.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: shown,
    top_p: request.top_p ?? null,
    truncation: "disabled",
    ...(request.user == null ? {} : { user: request.user }),
    store: false,
    background: false,
    previous_response_id: null,
  };
}

/** Finish reasons of chat that mean that something is missing. */
const reasonOf = { length: "max_output_tokens", content_filter: "content_filter" } as const;

export function isCut(finish: string | null): finish is keyof typeof reasonOf {
  return finish !== null && finish in reasonOf;
}

export function endedResponse(
  begun: ResponseObject,
  { finish, output, bill, now }: { finish: string | null; output: OutputItem[]; bill: Bill; now: Date },
): ResponseObject {
  return {
    ...begun,
    completed_at: seconds(now),
    ...(isCut(finish) ? { status: "incomplete", incomplete_details: { reason: reasonOf[finish] } } : { status: "completed" }),
    output,
    usage: usageOf(bill),
  };
}

function usageOf({ usage, cost, cacheDiscount }: Bill): NonNullable<ResponseObject["usage"]> {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
    cost: toUsd(cost),
    cache_discount: toUsd(cacheDiscount),
  };
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
