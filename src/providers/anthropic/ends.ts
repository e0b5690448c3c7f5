// Why a message ended, in the contract's words (spec/messages/messages.tsp, StopReason).
import { isObject, type Json } from "../json/read.ts";
import { hideInMembers } from "../errors/foreign-members.ts";
import type { MessageEnd, Provider } from "../types.ts";

type StopReason = MessageEnd["stop_reason"];

const reasons: ReadonlySet<string> = new Set<StopReason>([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
]);

/** A word that nobody knows, or none, counts as a plain end; one that calls tools waits for their results. */
export function readEnd(said: Json, calledTools: boolean, provider: Provider): MessageEnd {
  const { stop_reason, stop_sequence, stop_details } = said;
  const known = typeof stop_reason === "string" && reasons.has(stop_reason);
  return {
    stop_reason: known ? (stop_reason as StopReason) : calledTools ? "tool_use" : "end_turn",
    stop_sequence: typeof stop_sequence === "string" ? stop_sequence : null,
    ...(isObject(stop_details) ? { stop_details: hideInMembers(stop_details, provider) } : {}),
  };
}
