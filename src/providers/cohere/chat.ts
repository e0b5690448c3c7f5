// Chat over Cohere's v2: the request translated, the answer read as a chat's.
import { randomUUID } from "node:crypto";
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, count, isObject, type Json, objectOf, parseLong, textOf } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { type ChatTimes, chatTimes, readChatAnswer } from "../openai/chat.ts";
import { exchange, nameAnswer, type ReadError } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, readRecordData, unreadable } from "../transport/json.ts";
import type { SseRecord } from "../transport/read-stream.ts";
import type { Upstream } from "../transport/types.ts";
import type { Chat, ChatCall } from "../verbs/chat.ts";
import { cohereRequest } from "./request.ts";

export function cohereChat(upstream: Upstream, change: Partial<ChatTimes> = {}): Chat {
  const times = chatTimes(change);
  return async (call) => {
    const { route, outputMax, stream, body, heard } = call;
    const request = cohereRequest(objectOf(parseLong(wholeOf(body))), route.model, outputMax);
    const answer = await exchange(upstream, jsonRequest(call, "/v2/chat", JSON.stringify(request), stream), times.clock, readCohereError);
    return await readChatAnswer(answer, call, times, {
      whole(text) {
        const given = readAnswer(text, route.provider, parseLong);
        nameAnswer(heard, given["id"]);
        return JSON.stringify(completionOf(given));
      },
      records: chunkRecords(heard),
    });
  };
}

/** Errors go through as they are. */
function chunkRecords(heard: ChatCall["heard"]): (record: SseRecord) => SseRecord[] {
  const chunksOf = openChunkTranslation();
  return (record) => {
    if (record.data === "" || record.data.trim() === "[DONE]") return [];
    const value = readRecordData(record.data, record.event);
    if (!isObject(value) || textOfType(value) === null) return [{ event: "error", data: record.data }];
    nameAnswer(heard, value["id"]);
    return chunksOf(value).map((chunk) => ({ event: "", data: JSON.stringify(chunk) }));
  };
}

/** An error in a stream is a bare `{message}`. */
function textOfType({ type }: Record<string, unknown>): string | null {
  return typeof type === "string" ? type : null;
}

/** 498 is Cohere's word for a text that its filter stopped. */
export const readCohereError: ReadError = ({ status, text, retryAfterMs }, provider) => {
  const error = errorOfAnswer(status, text, retryAfterMs, provider);
  return status === 498 ? new UpstreamError("refused", error.reason, { status }) : error;
};

// Answers, whole and event by event, in the OpenAI dialect's form, which src/providers/openai then checks like any other host's.

/** A whole answer as a chat completion. */
function completionOf(answer: Json): Json {
  const given = answer["message"];
  if (!isObject(given)) throw unreadable("the answer has no message");
  const parts = arrayOf(given["content"]).filter(isObject);
  const text = joined(parts, "text");
  const thought = (textOf(given["tool_plan"]) ?? "") + joined(parts, "thinking");
  const calls = arrayOf(given["tool_calls"]).filter(isObject).map(withArguments);
  const message = {
    role: "assistant",
    content: text === "" ? null : text,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: idOf(answer),
    choices: [{ index: 0, message, finish_reason: finishOf(answer["finish_reason"]) }],
    ...usageOf(answer["usage"]),
  };
}

/** Translates the events of one stream, one after the other. */
function openChunkTranslation(): (event: Json) => Json[] {
  let id: string | null = null;
  /** The calls that have arguments so far. */
  const filled = new Set<unknown>();
  return (event) => {
    id ??= idOf(event);
    const head = { id, object: "chat.completion.chunk" };
    const chunk = (delta: Json, finish: string | null = null, more: Json = {}) => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
    const delta = objectOf(event["delta"]);
    const message = objectOf(delta["message"]);
    const index = event["index"];
    switch (event["type"]) {
      case "message-start":
        return [chunk({ role: "assistant", content: "" })];
      case "content-start":
      case "content-delta": {
        const { text, thinking } = objectOf(message["content"]);
        const thought = textOf(thinking);
        const said = textOf(text);
        return [...(thought === null ? [] : [chunk({ reasoning_content: thought })]), ...(said === null ? [] : [chunk({ content: said })])];
      }
      case "tool-plan-delta": {
        const plan = textOf(message["tool_plan"]);
        return plan === null ? [] : [chunk({ reasoning_content: plan })];
      }
      case "tool-call-start": {
        const call = objectOf(message["tool_calls"]);
        if (textOf(objectOf(call["function"])["arguments"]) !== null) filled.add(index);
        return [chunk({ tool_calls: [{ ...call, index }] })];
      }
      case "tool-call-delta": {
        const text = textOf(objectOf(objectOf(message["tool_calls"])["function"])["arguments"]);
        if (text === null) return [];
        filled.add(index);
        return [chunk({ tool_calls: [{ index, function: { arguments: text } }] })];
      }
      case "tool-call-end": // of a tool without parameters no argument ever comes
        return filled.has(index) ? [] : [chunk({ tool_calls: [{ index, function: { arguments: "{}" } }] })];
      case "message-end": {
        const error = textOf(delta["error"]);
        if (error !== null) return [{ error: { message: error, type: "server_error" } }];
        return [chunk({}, finishOf(delta["finish_reason"]), usageOf(delta["usage"]))];
      }
    }
    return []; // citations, the ends of contents, and kinds of events that are not known yet
  };
}

function joined(parts: readonly Json[], key: "text" | "thinking"): string {
  return parts.reduce((sum, part) => sum + (textOf(part[key]) ?? ""), "");
}

function withArguments(call: Json): Json {
  const called = objectOf(call["function"]);
  return { ...call, function: { ...called, arguments: textOf(called["arguments"]) ?? "{}" } };
}

function idOf(answer: Json): string {
  const id = textOf(answer["id"]);
  return `chatcmpl-${id !== null && /^[\w-]{1,100}$/.test(id) ? id : randomUUID().replaceAll("-", "")}`;
}

/** In the OpenAI dialect's words; `error` counts as a failure of the host there. */
const finishes: Readonly<Record<string, string>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  ERROR_LIMIT: "length",
  TOOL_CALL: "tool_calls",
  ERROR_TOXIC: "content_filter",
  ERROR: "error",
  TIMEOUT: "error",
};

function finishOf(reason: unknown): string {
  return (typeof reason === "string" ? finishes[reason] : undefined) ?? "stop";
}

/** A member `usage` in the OpenAI dialect's form: what Cohere bills, which leaves out its own instructions to the model. */
function usageOf(usage: unknown): Json {
  const { billed_units: billed, tokens } = objectOf(usage);
  const [input, output] = (["input_tokens", "output_tokens"] as const).map((key) => count(objectOf(billed)[key], objectOf(tokens)[key]));
  if (input === null || output === null) return {};
  return { usage: { prompt_tokens: input, completion_tokens: output } };
}
