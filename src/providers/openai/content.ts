// Normalises the text and the thinking of a message or delta, under whatever name and in whatever form a host sends them. Leaves
// `content` and at most one `reasoning_content`. Finish reasons and log probabilities as well.
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { FinishReason } from "../verbs/chat.ts";

/** Changes the message or delta in place. */
export function normalizeContent(message: Json): void {
  if (Array.isArray(message["content"])) splitParts(message, message["content"]);
  else if ("content" in message && typeof message["content"] !== "string" && message["content"] !== null) delete message["content"];
  const newer = message["reasoning"];
  delete message["reasoning"];
  const older = message["reasoning_content"];
  if (textOf(older) === null) {
    if (typeof newer === "string") message["reasoning_content"] = newer;
    else if (typeof older !== "string") delete message["reasoning_content"];
  }
  if (message["refusal"] === null) delete message["refusal"];
}

/** Mistral: `content` is an array of text and thinking parts. The dialect has no place for other parts. */
function splitParts(message: Json, parts: unknown[]): void {
  let text: string | null = null;
  let thinking = "";
  for (const part of parts) {
    if (typeof part === "string") text = (text ?? "") + part;
    else if (isObject(part) && part["type"] === "thinking") thinking += plainText(part["thinking"]);
    else if (isObject(part) && typeof part["text"] === "string") text = (text ?? "") + part["text"];
  }
  if (text === null) delete message["content"];
  else message["content"] = text;
  if (thinking !== "") message["reasoning_content"] = thinking;
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return arrayOf(value)
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

// Finish reasons of all hosts in the OpenAI dialect's words.

const words: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    stop: "stop",
    eos: "stop", // Together
    eos_token: "stop",
    end_turn: "stop",
    stop_sequence: "stop",
    length: "length",
    max_tokens: "length",
    model_length: "length", // Mistral
    tool_calls: "tool_calls",
    tool_use: "tool_calls",
    content_filter: "content_filter",
    safety: "content_filter", // Gemini
    prohibited_content: "content_filter",
    recitation: "content_filter",
    refusal: "content_filter",
    sensitive: "content_filter", // Zhipu
    function_call: "function_call",
  } as const),
);

/** Reasons that report a failure of the host. */
const failures = new Set(["error", "abort", "insufficient_system_resource", "network_error"]);

/** Null where none is given yet; "failed" where the host reports a failure; an unknown word counts as `stop`. */
export function readFinish(value: unknown, calls: { tools: boolean; legacy: boolean }): FinishReason | "failed" | null {
  if (typeof value !== "string" || value === "") return null;
  const word = value.toLowerCase();
  if (failures.has(word)) return "failed";
  const finish = words.get(word) ?? "stop";
  if (!calls.tools) return finish;
  // Ollama and others answer `stop` beside tool calls; callers would then not run the tools.
  return finish === "stop" || (finish === "function_call" && !calls.legacy) ? "tool_calls" : finish;
}

// Reads log probabilities into OpenAI's shape, or null: `{content, refusal}` and nothing else, because an unknown key in a later chunk
// makes the OpenAI helper throw.

interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top_logprobs: unknown[];
}

/** `text` is the choice's own text: Together's chunks carry a bare number for it. */
export function readLogprobs(value: unknown, text: unknown): { content: unknown[] | null; refusal: unknown[] | null } | null {
  if (typeof value === "number") return typeof text === "string" ? { content: [entry(text, value, [])], refusal: null } : null;
  if (!isObject(value)) return null;
  if (Array.isArray(value["content"]) || Array.isArray(value["refusal"])) {
    return { content: listOrNull(value["content"]), refusal: listOrNull(value["refusal"]) };
  }
  return Array.isArray(value["tokens"]) ? { content: fromArrays(value["tokens"], value), refusal: null } : null;
}

/** Together and Fireworks: parallel arrays as in the oldest completions dialect. */
function fromArrays(tokens: unknown[], value: Record<string, unknown>): TokenLogprob[] {
  const logprobs = arrayOf(value["token_logprobs"]);
  const tops = arrayOf(value["top_logprobs"]);
  return tokens.map((token, index) => {
    const logprob = logprobs[index];
    const others = Object.entries(objectOf(tops[index])).filter((pair): pair is [string, number] => typeof pair[1] === "number");
    return entry(String(token), typeof logprob === "number" ? logprob : 0, others);
  });
}

function entry(token: string, logprob: number, others: [string, number][]): TokenLogprob {
  const top = others.map(([text, chance]) => ({ token: text, logprob: chance, bytes: bytesOf(text) }));
  return { token, logprob, bytes: bytesOf(token), top_logprobs: top };
}

function bytesOf(text: string): number[] {
  return [...Buffer.from(text)];
}

function listOrNull(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null;
}
