// A message request for one candidate, still in the Anthropic dialect: the caller's own bytes with the few members that the
// specification changes spliced in. What an upstream must not get, or reads otherwise, is its adapter's.
import { spliceJson } from "../../providers/json/splice.ts";
import type { JsonText } from "../../providers/json/text.ts";
import type { Candidate } from "../../routing/candidates.ts";
import { thinkingEdits } from "./thinking.ts";
import type { Hold } from "../reserve.ts";
import { capFor, outputMaxOf } from "../chat/upstream-body.ts";

type ThinkingFields = Parameters<typeof thinkingEdits>[0];

export interface MessageFields extends ThinkingFields {
  max_tokens?: number;
}

export function messageBody(text: JsonText, body: MessageFields, candidate: Candidate, hold: Hold): JsonText {
  const cap = capFor(candidate, hold);
  const { model, route } = candidate;
  const budgetsOnly = route.provider.protocol === "anthropic" && route.thinking !== "adaptive";
  return spliceJson(text, {
    model: JSON.stringify(route.model),
    ...(cap === null || cap === body.max_tokens ? {} : { max_tokens: String(cap) }),
    ...thinkingEdits(body, { model, budgetsOnly, cap, outputMax: outputMaxOf(candidate, hold) }),
  });
}
