// The request adapter of messages: what a request needs of a model, how large its prompt is, how it is sent to a route.
import type { Context } from "../../context.ts";
import { spliceJson } from "../../providers/json/splice.ts";
import type { JsonText } from "../../providers/json/text.ts";
import type { MessageStream, MessageWhole } from "../../providers/verbs/messages.ts";
import { adapterOf, type Candidate } from "../../routing/candidates.ts";
import { assertDeclares, declares } from "../chat/requirements.ts";
import { capFor, outputMaxOf } from "../chat/upstream-body.ts";
import { countPrompt } from "../counted-usage.ts";
import type { Hold } from "../reserve.ts";
import type { RequestAdapter } from "../serve.ts";
import { assertReadable, fetchesDocuments, messageRequirements } from "./requirements.ts";
import { messageSize } from "./size.ts";
import { thinkingEdits } from "./thinking.ts";

/** The request as JSON text, and parsed. */
export interface MessageRequest {
  text: JsonText;
  body: MessageFields & Parameters<typeof messageRequirements>[0] & Parameters<typeof messageSize>[0] & { model: string; stream?: boolean };
  /** The header `anthropic-beta`; null where it was not sent. */
  betas: string | null;
}

export function messageAdapter(
  { providers, log }: Pick<Context, "providers" | "log">,
  { text, body, betas }: MessageRequest,
): RequestAdapter<MessageWhole, MessageStream> {
  const needs = messageRequirements(body);
  const stream = body.stream === true;
  return {
    model: body.model,
    type: "language",
    stream,
    assertFits(model) {
      assertReadable(model, needs);
      assertDeclares(model, needs);
    },
    fits: (other) => declares(other, needs) && (needs.address === null || fetchesDocuments(other)),
    measure: () => messageSize(body),
    cap: { asked: body.max_tokens ?? null, choices: 1 },
    async call({ candidate, hold, size, upstream }) {
      const messages = adapterOf(providers.messages, candidate);
      return messages({
        ...upstream,
        body: messageBody(text, body, candidate, hold),
        stream,
        outputMax: outputMaxOf(candidate, hold),
        promptTokens: () => countPrompt({ log }, size),
        betas,
      });
    },
    charactersOf,
  };
}

function charactersOf({ message, hiddenCharacters = 0 }: MessageWhole): number {
  return message.content.reduce((sum, block) => {
    if (block.type === "text") return sum + block.text.length;
    if (block.type === "thinking") return sum + block.thinking.length;
    return block.type === "tool_use" ? sum + block.name.length + JSON.stringify(block.input).length : sum;
  }, hiddenCharacters);
}

// The request body for one candidate, still in the Anthropic dialect: the caller's own bytes, with only those members replaced that have to
// change. The protocol adapters translate it and remove what an upstream must not get.

type ThinkingFields = Parameters<typeof thinkingEdits>[0];

interface MessageFields extends ThinkingFields {
  max_tokens?: number;
}

function messageBody(text: JsonText, body: MessageFields, candidate: Candidate, hold: Hold): JsonText {
  const cap = capFor(candidate, hold);
  const { model, route } = candidate;
  const budgetsOnly = route.provider.protocol === "anthropic" && route.thinking !== "adaptive";
  return spliceJson(text, {
    model: JSON.stringify(route.model),
    ...(cap === null || cap === body.max_tokens ? {} : { max_tokens: String(cap) }),
    ...thinkingEdits(body, { model, budgetsOnly, cap, outputMax: outputMaxOf(candidate, hold) }),
  });
}
