// The request adapter of chat completions: what a request needs of a model, how large its prompt is, how it is sent to a route.
import type { Context } from "../../context.ts";
import { fail, failParameter } from "../../errors/fail.ts";
import { isObject } from "../../providers/json/read.ts";
import type { JsonText } from "../../providers/json/splice.ts";
import type { ChatStream, ChatWhole } from "../../providers/verbs/chat.ts";
import { adapterOf } from "../../routing/candidates.ts";
import { noToolCalls } from "../../usage.ts";
import { prefixOfChat } from "../prefix.ts";
import { promptSize } from "../prompt-size.ts";
import type { OutputCap } from "../context-window.ts";
import type { RequestAdapter } from "../serve.ts";
import { assertPriced, isPriced } from "../withheld-fields.ts";
import { type ChatFields, outputMaxOf, upstreamBody } from "./upstream-body.ts";
import type { Model } from "../../catalog/types.ts";

/** The request as JSON text, and parsed. */
export interface ChatRequest {
  text: JsonText;
  body: ChatFields & Parameters<typeof requirementsOf>[0] & { n?: number | null; logprobs?: unknown; top_logprobs?: unknown };
}

export function chatAdapter({ providers }: Pick<Context, "providers">, { text, body }: ChatRequest): RequestAdapter<ChatWhole, ChatStream> {
  const needs = requirementsOf(body);
  const stream = body.stream === true;
  const cap = outputCap(body);
  return {
    model: body.model,
    type: "language",
    stream,
    assertFits(model) {
      assertDeclares(model, needs);
      assertPriced(body, model, "web_search_options");
    },
    fits: (other) => declares(other, needs) && isPriced(body, other, "web_search_options"),
    measure: () => promptSize(body),
    cap,
    tier: body.service_tier,
    routing: body.routing,
    toolCalls({ tokens }) {
      const max = isObject(body.web_search_options) ? (tokens?.serverTools.web_search?.max ?? null) : null;
      return max === null ? noToolCalls : { web_search: max * cap.choices };
    },
    largeBy: largeBy(body),
    prefix: () => prefixOfChat(body.messages),
    call({ candidate, hold, upstream }) {
      const chat = adapterOf(providers.chat, candidate);
      return chat({
        ...upstream,
        body: upstreamBody(text, body, candidate, hold),
        stream,
        outputMax: outputMaxOf(candidate, hold),
      });
    },
    charactersOf,
  };
}

function outputCap(body: ChatRequest["body"]): OutputCap {
  const caps = [body.max_tokens, body.max_completion_tokens].filter((cap) => cap != null);
  return { asked: caps.length === 0 ? null : Math.min(...caps), choices: body.n ?? 1 };
}

/** Log probabilities are fifty times the text, and answers add up. */
function largeBy({ n, logprobs, top_logprobs: top }: ChatRequest["body"]): string | null {
  if (typeof top === "number" && top > 0) return "top_logprobs";
  return logprobs === true ? "logprobs" : (n ?? 1) > 1 ? "n" : null;
}

function charactersOf({ completion }: ChatWhole): number {
  const texts = completion.choices.flatMap(({ message }) => [
    message.content,
    message.reasoning_content,
    message.refusal,
    ...(message.tool_calls ?? []).flatMap((call) => [call.function?.name, call.function?.arguments]),
  ]);
  return texts.reduce<number>((sum, text) => sum + (text?.length ?? 0), 0);
}

// What a chat message must have by its role: content, and for a tool's result the id of its call. The edge has checked each field's type.

interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string | null;
  name?: unknown;
}

/** An assistant's message may hold tool calls alone; the older `function` role allows null. */
const maySayNothing = new Set(["assistant", "function"]);

/** The field that names the call of a result. Without it an upstream can only guess, or takes the result for the user's words. */
const answeredBy: Readonly<Record<string, "tool_call_id" | "name">> = { tool: "tool_call_id", function: "name" };

export function assertMessages(messages: readonly ChatMessage[]): void {
  messages.forEach((message, index) => {
    const { role, content } = message;
    const names = answeredBy[role];
    if (names !== undefined && message[names] == null) failMissing(`messages[${index}].${names}`);
    if (content != null || maySayNothing.has(role)) return;
    const param = `messages[${index}].content`;
    if (content === undefined) failMissing(param);
    failParameter(param, "it must be a string or an array");
  });
}

function failMissing(param: string): never {
  return fail("missing_parameter", { param, text: { param } });
}

// What a request needs of a model, whether a model declares it, and how a chat request states it.

export interface Requirements {
  /** The field that brings tools; null without tools. */
  tools: string | null;
  /** The field that asks for structured output; null where none does. */
  structured: string | null;
  /** The first content part of each kind other than text. */
  parts: { kind: PartKind; param: string }[];
}

export type PartKind = "image" | "audio" | "file" | "video";

const kindOfPart: ReadonlyMap<unknown, PartKind> = new Map([
  ["image_url", "image"],
  ["input_audio", "audio"],
  ["file", "file"],
  ["video_url", "video"],
]);

interface RequiringFields {
  messages: readonly { content?: unknown }[];
  tools?: readonly unknown[] | null;
  /** The older way to send tools; the contract has no schema for it. */
  functions?: unknown;
  response_format?: { type?: string } | null;
}

function requirementsOf(body: RequiringFields): Requirements {
  const parts: Requirements["parts"] = [];
  body.messages.forEach(({ content }, m) => {
    if (!Array.isArray(content)) return;
    content.forEach((part: { type?: string }, p) => {
      const kind = kindOfPart.get(part?.type);
      if (kind !== undefined && !parts.some((one) => one.kind === kind)) parts.push({ kind, param: `messages[${m}].content[${p}]` });
    });
  });
  const format = body.response_format?.type;
  return {
    tools: (["tools", "functions"] as const).find((field) => isFilled(body[field])) ?? null,
    structured: format !== undefined && format !== "text" ? "response_format" : null,
    parts,
  };
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** Refuses what the model does not declare. */
export function assertDeclares(model: Model, needs: Requirements): void {
  if (needs.tools !== null && !model.supports.tools) failParameter(needs.tools, `${model.id} does not take tools`);
  if (needs.structured !== null && !model.supports.structuredOutputs)
    failParameter(needs.structured, `${model.id} does not give structured outputs`);
  const unreadable = needs.parts.find(({ kind }) => !reads(model, kind));
  if (unreadable !== undefined) fail("unsupported_content", { param: unreadable.param, text: { model: model.id, kind: unreadable.kind } });
}

/** Whether the model may answer instead of the one that was asked for. */
export function declares(model: Model, needs: Requirements): boolean {
  return (
    (needs.tools === null || model.supports.tools) &&
    (needs.structured === null || model.supports.structuredOutputs) &&
    needs.parts.every(({ kind }) => reads(model, kind))
  );
}

function reads(model: Model, kind: PartKind): boolean {
  return (kind === "image" && model.supports.vision) || model.row.input_modalities.includes(kind);
}
