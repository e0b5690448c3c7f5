// The response object: the fields that repeat its request, and those that it gets when it ends.
import type { Ask } from "../../calls/ask.ts";
import { unixSeconds } from "../../clock.ts";
import { toUsd } from "../../money.ts";
import { cohereSampling } from "../../providers/cohere/request.ts";
import { arrayOf, isObject, objectOf } from "../../providers/json/read.ts";
import type { Protocol } from "../../providers/types.ts";
import { logprobsProtocols } from "../completions/request.ts";
import type { TokenBill } from "../token-call.ts";
import type { OfferedTools } from "./tools.ts";
import type { Logprob, OutputItem, ResponseObject, ResponseRequest, Tool } from "./types.ts";

/** What an answer depends on besides the model's output. */
export interface Answering {
  ask: Pick<Ask, "requestId" | "receivedAt">;
  /** The end of every id in it. */
  idTail: string;
  /** Whether it is to be stored. */
  store: boolean;
  /** What the answer repeats of it: a stream must not hold the input. */
  request: ResponseRequest;
  /** Id of the model that was asked for. */
  model: string;
  /** What the chats of the route that answers are written in. */
  protocol: Protocol;
  offered: OfferedTools;
}

/** The end of every id in an answer that is not stored. */
export function idTailOf({ requestId }: Pick<Ask, "requestId">): string {
  return requestId.replace(/^req_/, "");
}

/** Null: the request names none. */
export function conversationNamed(conversation: ResponseRequest["conversation"]): string | null {
  if (conversation == null) return null;
  return typeof conversation === "string" ? conversation : conversation.id;
}

/** A response that has just begun. */
export function newResponse({ ask, idTail, store, request, model, protocol, offered }: Answering): ResponseObject {
  const conversation = conversationNamed(request.conversation);
  return {
    id: `resp_${idTail}`,
    object: "response",
    created_at: unixSeconds(ask.receivedAt),
    completed_at: null,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: request.reasoning == null ? null : { effort: null, summary: null, ...request.reasoning },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    temperature: request.temperature ?? 1,
    top_p: request.top_p ?? 1,
    ...sampledWith(request, protocol),
    text: textOptions(request.text),
    tool_choice: toolChoice(request.tool_choice),
    tools: offered.shown.map(shownTool),
    truncation: "disabled",
    ...(request.user == null ? {} : { user: request.user }),
    store,
    background: false,
    previous_response_id: request.previous_response_id ?? null,
    ...(conversation === null ? {} : { conversation: { id: conversation } }),
  };
}

type Penalties = Pick<ResponseRequest, "presence_penalty" | "frequency_penalty">;

/** What is sent of them, by what a host's chats are written in; Anthropic's dialect has none (src/providers/translation/chat-to-message-request.ts). */
const penaltiesIn: Partial<Record<Protocol, (asked: Penalties) => Penalties>> = {
  openai: (asked) => asked,
  "azure-openai": (asked) => asked,
  gemini: (asked) => asked,
  cohere: ({ presence_penalty, frequency_penalty }) => cohereSampling({ presence_penalty, frequency_penalty }) as Penalties,
};

function sampledWith(request: ResponseRequest, protocol: Protocol) {
  const { presence_penalty, frequency_penalty } = penaltiesIn[protocol]?.(request) ?? {};
  return {
    presence_penalty: presence_penalty ?? 0,
    frequency_penalty: frequency_penalty ?? 0,
    top_logprobs: logprobsProtocols.has(protocol) ? (request.top_logprobs ?? 0) : 0,
  };
}

function textOptions(text: ResponseRequest["text"]): ResponseObject["text"] {
  const { format, verbosity, ...more } = text ?? {};
  return { ...more, ...(verbosity == null ? {} : { verbosity }), format: textFormat(format ?? { type: "text" }) };
}

/** Typed clients need `strict`, and a `description` only where there is one. */
function textFormat(format: NonNullable<NonNullable<ResponseRequest["text"]>["format"]>): NonNullable<ResponseObject["text"]["format"]> {
  if (format.type !== "json_schema") return format;
  const { description, ...shown } = format;
  return { ...shown, ...(description == null ? {} : { description }), strict: format.strict ?? false };
}

function toolChoice(choice: ResponseRequest["tool_choice"]): ResponseObject["tool_choice"] {
  if (choice == null) return "auto";
  return typeof choice === "object" && choice.type === "allowed_tools" ? { mode: "auto", tools: [], ...choice } : choice;
}

/** Typed clients read these fields of a function without checking that they exist. */
function shownTool(tool: Tool): Tool {
  if (tool.type !== "function") return tool.tools === undefined ? tool : { ...tool, tools: tool.tools.map(shownTool) };
  return { ...tool, description: tool.description ?? null, parameters: tool.parameters ?? null, strict: tool.strict ?? null };
}

/** Finish reasons of chat that mean that the answer is incomplete. */
const reasonOf = { length: "max_output_tokens", content_filter: "content_filter" } as const;

export function isCut(finish: string | null): finish is keyof typeof reasonOf {
  return finish !== null && finish in reasonOf;
}

export function endedResponse(
  begun: ResponseObject,
  { finish, output, bill, now }: { finish: string | null; output: OutputItem[]; bill: TokenBill; now: Date },
): ResponseObject {
  return {
    ...begun,
    completed_at: unixSeconds(now),
    ...(isCut(finish) ? { status: "incomplete", incomplete_details: { reason: reasonOf[finish] } } : { status: "completed" }),
    output,
    usage: usageOf(bill),
  };
}

export function usageOf({ usage, cost, cacheDiscount }: TokenBill): NonNullable<ResponseObject["usage"]> {
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

// Log probabilities: whether a request asks for them, and how chat's entries become those of Responses, where each has its bytes.

/** Either field alone asks for them; clients send one, the other, or both. */
export function asksLogprobs({ include, top_logprobs }: Pick<ResponseRequest, "include" | "top_logprobs">): boolean {
  return (top_logprobs ?? 0) > 0 || (include ?? []).includes("message.output_text.logprobs");
}

/** Reads `logprobs` of a chat choice. */
export function readLogprobs(logprobs: unknown): Logprob[] {
  return arrayOf(objectOf(logprobs)["content"]).flatMap((entry) => {
    const [said] = tokenOf(entry);
    return said === undefined ? [] : [{ ...said, top_logprobs: arrayOf(objectOf(entry)["top_logprobs"]).flatMap(tokenOf) }];
  });
}

function tokenOf(entry: unknown): Omit<Logprob, "top_logprobs">[] {
  if (!isObject(entry)) return [];
  const { token, logprob, bytes } = entry;
  if (typeof token !== "string" || typeof logprob !== "number") return [];
  return [{ token, logprob, bytes: Array.isArray(bytes) ? (bytes as number[]) : [...Buffer.from(token)] }];
}
