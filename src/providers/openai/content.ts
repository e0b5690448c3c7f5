// Normalises the text and the thinking of a message or delta, under whatever name and in whatever form a host sends them. Leaves
// `content` and at most one `reasoning_content`. Finish reasons and log probabilities as well.
import { randomUUID } from "node:crypto";
import { malformedOutput } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { FinishReason } from "../verbs/chat.ts";
import { unreadable } from "../transport/json.ts";

/** Changes the message or delta in place. */
export function normalizeContent(message: Json): void {
  if (Array.isArray(message["content"])) splitParts(message, message["content"]);
  else if ("content" in message && typeof message["content"] !== "string" && message["content"] !== null) delete message["content"];
  const newer = message["reasoning"];
  if ("reasoning" in message) delete message["reasoning"]; // V8 takes its time also to delete what isn't there
  const older = message["reasoning_content"];
  if (textOf(older) === null) {
    if (typeof newer === "string") message["reasoning_content"] = newer;
    else if (typeof older !== "string" && "reasoning_content" in message) delete message["reasoning_content"];
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

/** What a choice has shown: calls of tools, calls in the older form, any text. */
interface Shown {
  tools: boolean;
  legacy: boolean;
  text: boolean;
}

/**
 * Null where none is given yet; "failed" where the host reports a failure; an unknown word counts as `stop`. `native`: OpenRouter's own host's word.
 * Throws where the model's own output is malformed and nothing was shown (docs/behaviour/providers.md#malformed-output).
 */
export function readFinish(value: unknown, calls: Shown, native?: unknown): FinishReason | "failed" | null {
  if (typeof value !== "string" || value === "") return null;
  const word = value.toLowerCase();
  if (failures.has(word)) return /^(?:malformed|unexpected_tool_call)/i.test(String(native)) ? endOfMalformed(calls) : "failed";
  const finish = words.get(word) ?? "stop";
  if (!calls.tools) return finish;
  // Ollama and others answer `stop` beside tool calls; callers would then not run the tools.
  return finish === "stop" || (finish === "function_call" && !calls.legacy) ? "tool_calls" : finish;
}

/** Of what was shown before: an answer; beside a call as one that was cut off, so that no client runs a malformed one. */
export function endOfMalformed({ tools, text }: Pick<Shown, "tools" | "text">): "stop" | "length" {
  if (!tools && !text) throw malformedOutput();
  return tools ? "length" : "stop";
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

// Normalises tool calls of whole messages and of deltas to the form that strict clients take (docs/behaviour/streams.md#tool-calls).

/** Changes the message in place and removes an empty list. Returns whether there are any calls. */
export function normalizeWholeCalls(message: Json): boolean {
  const calls = arrayOf(message["tool_calls"]).filter(isObject);
  if (message["function_call"] === null) delete message["function_call"];
  if ("tool_calls" in message) delete message["tool_calls"];
  if (calls.length === 0) return false;
  message["tool_calls"] = calls.map(({ index: _index, ...call }) => {
    const called = objectOf(call["function"]);
    const named = { ...called, name: textOf(called["name"]) ?? "", arguments: argumentsText(called["arguments"]) || "{}" };
    return { ...call, id: textOf(call["id"]) ?? newCallId(), type: "function", function: named };
  });
  return true;
}

/** What one choice's stream has shown of its calls. */
export interface CallsState {
  calls: { id: string | null; started: boolean; held: string }[];
  /** Upstream's index → ours: some hosts give every call index 0, some no index. */
  byIndex: Map<number, number>;
  last: number;
}

interface CallDeltas {
  /** First deltas, with id, type, name and empty arguments. */
  starts: Json[];
  /** Later deltas: index and arguments only. */
  pieces: Json[];
}

/** Of one choice. Bounds memory: each call is remembered, and no host sends nearly as many. */
const callsMax = 4_096;

export function newCallsState(): CallsState {
  return { calls: [], byIndex: new Map(), last: -1 };
}

/** Characters of arguments that may come before their call has a name, or at once. */
const heldMax = 4_194_304;

/** A call delivered whole becomes a first delta and a later one. */
export function readCallDeltas(value: unknown, state: CallsState): CallDeltas {
  const deltas: CallDeltas = { starts: [], pieces: [] };
  for (const delta of arrayOf(value)) {
    if (!isObject(delta)) continue;
    const index = ourIndex(delta, state);
    const call = state.calls[index]!;
    const called = objectOf(delta["function"]);
    call.id ??= textOf(delta["id"]);
    call.held += argumentsText(called["arguments"]);
    if (call.held.length > heldMax) throw unreadable("too much waits for a tool call's name");
    const name = textOf(called["name"]);
    if (!call.started && name !== null) {
      call.started = true;
      call.id ??= newCallId();
      const { id: _id, type: _type, index: _index, function: _function, ...extra } = delta; // `extra` keeps Gemini's thought_signature
      deltas.starts.push({ index, id: call.id, type: "function", function: { name, arguments: "" }, ...extra });
    }
    if (!call.started || (call.held === "" && name !== null)) continue; // the first delta needs a name
    deltas.pieces.push({ index, function: { arguments: call.held } });
    call.held = "";
  }
  return deltas;
}

function ourIndex(delta: Json, state: CallsState): number {
  const shown = delta["index"];
  const id = textOf(delta["id"]);
  const named = textOf(objectOf(delta["function"])["name"]) !== null;
  let index = typeof shown === "number" ? state.byIndex.get(shown) : indexWithout(id, named, state);
  const known = index === undefined ? undefined : state.calls[index];
  // Another id with a name of its own is another call, whatever the index.
  if (!known || (known.started && named && id !== null && known.id !== null && id !== known.id)) {
    if (state.calls.length >= callsMax) throw unreadable("too many tools are called");
    index = state.calls.push({ id: null, started: false, held: "" }) - 1;
    if (typeof shown === "number") state.byIndex.set(shown, index);
  }
  state.last = index!;
  return index!;
}

/** Gemini sends no index. A known id continues its call, a name starts one, anything else continues the last. */
function indexWithout(id: string | null, named: boolean, state: CallsState): number | undefined {
  const known = id === null ? -1 : state.calls.findIndex((call) => call.id === id);
  if (known !== -1) return known;
  return named || state.last === -1 ? undefined : state.last;
}

/** Some hosts send the arguments as an object. */
function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}

function newCallId(): string {
  return `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
