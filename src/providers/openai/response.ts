// Reads a whole answer of any OpenAI-compatible host into the OpenAI dialect (docs/behaviour/providers.md#hosts). `usage` is read here
// and left out of the answer, because the flow writes its own.
import { randomUUID } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { hideInMembers } from "../errors/hide-secrets.ts";
import { arrayOf, count, isObject, type Json, objectOf, readToolCalls, textOf } from "../json/read.ts";
import { readAnswer, unreadable } from "../transport/json.ts";
import type { Provider, Variant } from "../types.ts";
import type { ChatCompletion, ChatWhole } from "../verbs/chat.ts";
import { normalizeContent, normalizeWholeCalls, readFinish, readLogprobs } from "./content.ts";
import { noToolCalls, type Usage } from "../../usage.ts";

/** Keys that the gateway writes itself, that mean nothing to the caller, or that show who serves (OpenRouter's `provider`). */
const ownKeys = new Set(["id", "object", "created", "model", "choices", "usage", "error", "x_groq", "obfuscation", "provider"]);

/** `named`: told what the answer calls itself. */
export function readCompletion(
  text: string,
  publicModel: string,
  now: Clock,
  provider: Provider,
  named: (id: unknown) => void = () => undefined,
): ChatWhole {
  const answer = readAnswer(text, provider);
  named(answer["id"]);
  const choices = answer["choices"];
  if (!Array.isArray(choices) || choices.length === 0) throw unreadable("the answer has no choices");
  const completion: ChatCompletion = {
    ...idsOf(answer, now),
    object: "chat.completion",
    model: publicModel,
    ...hideInMembers(foreignKeys(answer), provider),
    choices: choices.map((choice, position) => readChoice(choice, position, provider)),
  };
  return { kind: "whole", completion, usage: readUsage(answer, provider.variant) };
}

/** The id and time of an answer or chunk; new ones where the host gives none. */
export function idsOf(answer: Json, now: Clock): { id: string; created: number } {
  const created = answer["created"];
  const seconds = typeof created === "number" && created > 0 && created < 1e14 ? created : now().getTime();
  return {
    id: textOf(answer["id"])?.slice(0, 200) ?? `chatcmpl-${randomUUID().replaceAll("-", "")}`,
    created: Math.floor(seconds > 1e11 ? seconds / 1000 : seconds), // some hosts send milliseconds
  };
}

/** Unknown members stay: `system_fingerprint`, `service_tier`, and what hosts add later. */
export function foreignKeys(answer: Json): Json {
  const foreign: Json = {};
  for (const key in answer) if (!ownKeys.has(key) && answer[key] !== undefined) foreign[key] = answer[key];
  return foreign;
}

function readChoice(value: unknown, position: number, provider: Provider): ChatCompletion["choices"][number] {
  if (!isObject(value) || !isObject(value["message"])) throw unreadable("a choice has no message");
  const { index, message: given, logprobs, finish_reason, usage: _usage, ...rest } = value;
  const message: Json = { ...hideInMembers(given, provider), role: "assistant", content: given["content"] ?? null };
  normalizeContent(message);
  message["content"] ??= null; // a Mistral answer with thinking only
  message["refusal"] ??= null;
  const tools = normalizeWholeCalls(message);
  const finish =
    readFinish(finish_reason, { tools, legacy: "function_call" in message, text: !!message["content"] }, rest["native_finish_reason"]) ??
    (tools ? "tool_calls" : "stop");
  if (finish === "failed") throw unreadable("the upstream reports a failure in the answer");
  return {
    ...hideInMembers(rest, provider),
    index: typeof index === "number" ? index : position,
    message: message as ChatCompletion["choices"][number]["message"], // every member was checked just above
    logprobs: readLogprobs(logprobs, message["content"]),
    finish_reason: finish,
  };
}

// Reads the tokens that an upstream reports, wherever it puts them, into disjoint buckets that never go below zero. A cost that an
// upstream reports is never read (docs/behaviour/billing.md#usage).

/**
 * From a whole answer or a chunk. Null where the host reports none, or only one side of the sum: half a report must not make the
 * other half free. All zeros are a placeholder, as no prompt has 0 tokens. `variant`: of the host.
 */
export function readUsage(answer: Json, variant?: Variant): Usage | null {
  const places = [answer["usage"], objectOf(answer["x_groq"])["usage"], objectOf(arrayOf(answer["choices"])[0])["usage"]]; // the last: Moonshot
  const usage = places.find(isObject);
  if (usage === undefined) return null;
  const promptShown = count(usage["prompt_tokens"], usage["input_tokens"]);
  const completionShown = count(usage["completion_tokens"], usage["output_tokens"]);
  // Reasoning and cache may be inside the sums or beside them: where there are any, the total doesn't give the missing side.
  const prompt = promptShown ?? (reasoningTokens(usage) === 0 ? restOfTotal(usage, completionShown) : null);
  const completion = completionShown ?? (cacheReadTokens(usage) + cacheWriteTokens(usage) === 0 ? restOfTotal(usage, promptShown) : null);
  if (prompt === null || completion === null || prompt + completion === 0) return null;
  const tier = textOf(answer["service_tier"]);
  const queries = count(usage["num_search_queries"]); // Perplexity's
  const toolCalls = readToolCalls(usage["server_tool_use"], queries === null ? noToolCalls : { web_search: queries });
  return {
    ...(variant?.thoughtsInTotal === true && completionShown !== null
      ? withThoughts(usage, prompt, completion)
      : buckets(usage, prompt, completion, completionShown !== null)),
    ...(toolCalls === null ? {} : { toolCalls }),
    ...(tier === null ? {} : { serviceTier: tier }),
  };
}

function restOfTotal(usage: Json, other: number | null): number | null {
  const total = count(usage["total_tokens"]);
  return total !== null && other !== null && total >= other ? total - other : null;
}

function buckets(usage: Json, promptShown: number, completionShown: number, completionTold: boolean): Usage {
  const reasoningShown = reasoningTokens(usage);
  const readShown = cacheReadTokens(usage);
  const writeShown = cacheWriteTokens(usage);
  const cacheShown = readShown + writeShown;
  const excess = (count(usage["total_tokens"]) ?? 0) - promptShown - completionShown;
  // What the total has beyond the two sums was left out of one of them: reasoning (xAI, Gemini) or cache (Anthropic-like).
  const bothApart = excess > 0 && excess === cacheShown + reasoningShown;
  const cacheApart = bothApart || (excess > 0 && excess === cacheShown && excess !== reasoningShown);
  // DeepInfra leaves reasoning out for Gemini and Gemma, and its total doesn't show it.
  const reasoningApart = bothApart || (excess > 0 && excess === reasoningShown) || (completionTold && reasoningShown > completionShown);
  const prompt = promptShown + (cacheApart ? cacheShown : 0);
  const completion = completionShown + (reasoningApart ? reasoningShown : 0);
  const cacheRead = Math.min(readShown, prompt);
  const cacheWrite = Math.min(writeShown, prompt - cacheRead);
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: completion,
    reasoning: Math.min(reasoningShown, completion),
  };
}

/** Of a host whose total alone counts thoughts; its prompt holds what was cached. */
function withThoughts(usage: Json, prompt: number, completion: number): Usage {
  const unsaid = Math.max(0, (restOfTotal(usage, prompt) ?? 0) - completion);
  const output = completion + unsaid;
  const cacheRead = Math.min(cacheReadTokens(usage), prompt);
  const reasoning = Math.min(Math.max(reasoningTokens(usage), unsaid), output);
  return { input: prompt - cacheRead, cacheRead, cacheWrite: 0, output, reasoning };
}

function cacheReadTokens(usage: Json): number {
  const details = promptDetails(usage);
  return (
    count(
      details["cached_tokens"],
      usage["cached_tokens"], // Moonshot
      usage["prompt_cache_hit_tokens"], // DeepSeek
      usage["num_cached_tokens"], // Mistral
      usage["cache_read_input_tokens"],
    ) ?? 0
  );
}

function cacheWriteTokens(usage: Json): number {
  const details = promptDetails(usage);
  return (
    count(
      details["cache_write_tokens"],
      details["cache_creation_input_tokens"], // Alibaba
      usage["cache_write_tokens"],
      usage["cache_creation_input_tokens"],
    ) ?? 0
  );
}

function reasoningTokens(usage: Json): number {
  const details = objectOf(usage["completion_tokens_details"] ?? usage["output_tokens_details"]);
  return count(details["reasoning_tokens"], usage["reasoning_tokens"]) ?? 0;
}

/** Mistral's key is in the singular. */
function promptDetails(usage: Json): Json {
  return objectOf(usage["prompt_tokens_details"] ?? usage["prompt_token_details"] ?? usage["input_tokens_details"]);
}
