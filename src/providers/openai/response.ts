// Reads a whole answer of any OpenAI-compatible host into the OpenAI dialect (docs/behaviour/providers.md#hosts). `usage` is read here
// and left out of the answer, because the flow writes its own.
import { randomUUID } from "node:crypto";
import { hideInMembers } from "../errors/hide-secrets.ts";
import { isObject, type Json, textOf } from "../json/read.ts";
import { readAnswer, unreadable } from "../transport/json.ts";
import type { Provider } from "../types.ts";
import type { ChatCompletion, ChatWhole } from "../verbs/chat.ts";
import { normalizeContent, readFinish, readLogprobs } from "./content.ts";
import { normalizeWholeCalls } from "./tool-calls.ts";
import { readUsage } from "./usage.ts";

/** Keys that the gateway writes itself, that mean nothing to the caller, or that show who serves (OpenRouter's `provider`). */
const ownKeys = new Set(["id", "object", "created", "model", "choices", "usage", "error", "x_groq", "obfuscation", "provider"]);

/** `named`: told what the answer calls itself. */
export function readCompletion(
  text: string,
  publicModel: string,
  now: Date,
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
export function idsOf(answer: Json, now: Date): { id: string; created: number } {
  const created = answer["created"];
  const seconds = typeof created === "number" && created > 0 && created < 1e14 ? created : now.getTime();
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
  const finish = readFinish(finish_reason, { tools, legacy: "function_call" in message }) ?? (tools ? "tool_calls" : "stop");
  if (finish === "failed") throw unreadable("the upstream reports a failure in the answer");
  return {
    ...hideInMembers(rest, provider),
    index: typeof index === "number" ? index : position,
    message: message as ChatCompletion["choices"][number]["message"], // every member was checked just above
    logprobs: readLogprobs(logprobs, message["content"]),
    finish_reason: finish,
  };
}
