// Reads Gemini's answers, whole and record by record, into the OpenAI dialect's form, which src/providers/openai then checks like any
// other host's. The last usage counts: every record of a stream has one.
import { randomUUID } from "node:crypto";
import { malformedOutput, UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, count, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { unreadable } from "../transport/json.ts";

/** Keeps what a later request has to repeat about a tool call. */
export type KeepSignature = (callId: string, signature: string) => void;

/** A whole answer as a chat completion. Throws UpstreamError for a prompt that was blocked, and for a malformed call without an answer beside it. */
export function completionOf(answer: Json, keep: KeepSignature): Json {
  const candidates = candidatesOf(answer);
  if (candidates.length === 0) throw unreadable("the answer has no candidates");
  const read = candidates.map((candidate) => ({ candidate, parts: partsOf(candidate, keep) }));
  const said = read.some(({ parts }) => parts.some(isAnswer));
  return {
    id: idOf(answer),
    choices: read.map(({ candidate, parts }, position) => {
      const calls = parts.flatMap(({ call }) => (call === undefined ? [] : [call]));
      const thought = textIn(parts, "reasoning_content");
      const text = textIn(parts, "content");
      const message = {
        role: "assistant",
        content: text === "" ? null : text,
        ...(thought === "" ? {} : { reasoning_content: thought }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      };
      return {
        index: count(candidate["index"]) ?? position,
        message,
        finish_reason: finishOf(candidate, { said, shown: said, called: calls.length > 0 }) ?? "stop",
      };
    }),
    ...usageOf(answer, said),
  };
}

/** Translates the records of one stream, one after the other. */
export function openChunkTranslation(keep: KeepSignature): (record: Json) => Json[] {
  /** How many tools each candidate has called. */
  const called = new Map<number, number>();
  let id: string | null = null;
  let said = false;
  /** Thoughts included. */
  let shown = false;
  /** Tokens of the answer so far: the last record may leave them out. */
  let written: number | null = null;
  return (record) => {
    id ??= idOf(record);
    const head = { id, object: "chat.completion.chunk" };
    const chunks = candidatesOf(record).flatMap((candidate, position) => {
      const index = count(candidate["index"]) ?? position;
      const parts = partsOf(candidate, keep);
      said ||= parts.some(isAnswer);
      shown ||= parts.length > 0;
      const deltas = parts.map(({ key, text, call }): Json => {
        if (call === undefined) return { [key]: text };
        const at = called.get(index) ?? 0;
        called.set(index, at + 1);
        return { tool_calls: [{ index: at, ...call }] };
      });
      const finish = finishOf(candidate, { said, shown, called: called.has(index) });
      const chunk = (delta: Json, reason: string | null) => ({ ...head, choices: [{ index, delta, finish_reason: reason }] });
      return [...deltas.map((delta) => chunk(delta, null)), ...(finish === null ? [] : [chunk({}, finish)])];
    });
    written = count(objectOf(record["usageMetadata"])["candidatesTokenCount"]) ?? written;
    const usage = usageOf(record, said, written);
    return Object.keys(usage).length === 0 ? chunks : [...chunks, { ...head, choices: [], ...usage }];
  };
}

/** Throws for a prompt that was blocked: the answer then has no candidate. */
function candidatesOf(answer: Json): Json[] {
  const candidates = arrayOf(answer["candidates"]).filter(isObject);
  const blocked = textOf(objectOf(answer["promptFeedback"])["blockReason"]);
  if (candidates.length === 0 && blocked !== null) {
    const word = /^[A-Z_]{1,60}$/.test(blocked) ? ` (${blocked})` : "";
    throw new UpstreamError("refused", `The prompt was blocked by the content policy${word}.`, { status: 200 });
  }
  return candidates;
}

function idOf(answer: Json): string {
  const id = textOf(answer["responseId"]);
  return `chatcmpl-${id !== null && /^[\w-]{1,100}$/.test(id) ? id : randomUUID().replaceAll("-", "")}`;
}

interface Part {
  key: "content" | "reasoning_content";
  text: string;
  call?: Json;
}

/** Code that the provider ran, and files, have no place in the dialect. */
function partsOf(candidate: Json, keep: KeepSignature): Part[] {
  return arrayOf(objectOf(candidate["content"])["parts"])
    .filter(isObject)
    .flatMap((part): Part[] => {
      const { functionCall, thoughtSignature, text, thought } = part;
      if (isObject(functionCall)) {
        const id = `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
        if (typeof thoughtSignature === "string") keep(id, thoughtSignature);
        const called = { name: textOf(functionCall["name"]) ?? "", arguments: JSON.stringify(functionCall["args"] ?? {}) };
        return [{ key: "content", text: "", call: { id, type: "function", function: called } }];
      }
      if (typeof text !== "string" || text === "") return [];
      return [{ key: thought === true ? "reasoning_content" : "content", text }];
    });
}

/** Thoughts alone are no answer. */
function isAnswer({ key }: Part): boolean {
  return key === "content";
}

function textIn(parts: readonly Part[], key: Part["key"]): string {
  return parts.reduce((sum, part) => sum + (part.key === key ? part.text : ""), "");
}

// Finish reasons in the OpenAI dialect's words; `error` counts as a failure of the host there.

const finishes: Readonly<Record<string, string>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  LANGUAGE: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
  MODEL_ARMOR: "content_filter",
};

/** A model's own output that can't be used any further. */
const malformed = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

/** What was shown before the end: an answer, any text, a tool's call. */
interface Shown {
  said: boolean;
  shown: boolean;
  called: boolean;
}

/**
 * Null: the candidate goes on. `OTHER` without an answer is an internal error there. What was shown before an output became malformed is an answer:
 * its provider bills it, and a caller's tools can bring it about. Beside a call it ends as one that was cut off, so that no client runs a malformed
 * one. Throws where nothing was shown.
 */
function finishOf({ finishReason }: Json, { said, shown, called }: Shown): string | null {
  if (typeof finishReason !== "string" || finishReason === "" || finishReason === "FINISH_REASON_UNSPECIFIED") return null;
  if (finishReason === "OTHER" && !said) return "error";
  if (malformed.has(finishReason) && !shown) throw malformedOutput();
  if (finishReason === "MALFORMED_FUNCTION_CALL" && called) return "length";
  return finishes[finishReason] ?? "stop";
}

// Tokens: the prompt includes what was cached, thoughts are beside the candidates, and a figure of 0 is left out.

/**
 * Members `usage` and `service_tier` in the OpenAI dialect's form; empty where the record reports none, or no output although something was
 * said.
 */
function usageOf(answer: Json, said: boolean, saidBefore: number | null = null): Json {
  const given = objectOf(answer["usageMetadata"]);
  const shown = count(given["promptTokenCount"]);
  if (shown === null) return {};
  const prompt = shown + (count(given["toolUsePromptTokenCount"]) ?? 0);
  const thoughts = count(given["thoughtsTokenCount"]) ?? 0;
  const rest = (count(given["totalTokenCount"]) ?? 0) - prompt - thoughts;
  const written = count(given["candidatesTokenCount"]) ?? (rest > 0 ? rest : said ? saidBefore : 0);
  if (written === null) return {};
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: written + thoughts,
      total_tokens: prompt + written + thoughts,
      prompt_tokens_details: { cached_tokens: count(given["cachedContentTokenCount"]) ?? 0 },
      completion_tokens_details: { reasoning_tokens: thoughts },
    },
    ...tierOf(given),
  };
}

/** The tier that was served, as the Gemini API or Vertex says it. */
function tierOf({ serviceTier, trafficType }: Json): Json {
  const said = textOf(serviceTier) ?? textOf(trafficType);
  if (said === null) return {};
  const tier = said.toLowerCase().replace(/^(?:service_tier|on_demand)_/, "");
  return { service_tier: tier === "standard" || tier === "on_demand" ? "default" : tier };
}
