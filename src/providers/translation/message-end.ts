// How an answer in the OpenAI dialect ended, in the words of the Anthropic dialect (WIRE.md 8.1).
import type { MessageEnd } from "../types.ts";

export interface ChatEnd {
  finish: unknown;
  /** What vLLM and others say beside it: the sequence that stopped the answer. */
  stoppedBy: unknown;
  refused: boolean;
  /** Whether any tool is called. */
  calls: boolean;
  /** Whether the arguments of every call are whole. */
  whole: boolean;
}

export function messageEnd({ finish, stoppedBy, refused, calls, whole }: ChatEnd, stopSequences: readonly string[]): MessageEnd {
  // Helpers read half an argument text as {}, and a tool would run with it: such an answer never ends as if it were whole.
  if (finish === "length" || !whole) return { stop_reason: "max_tokens", stop_sequence: null };
  if (finish === "content_filter" || refused) return { stop_reason: "refusal", stop_sequence: null };
  if (calls) return { stop_reason: "tool_use", stop_sequence: null };
  if (typeof stoppedBy === "string" && stopSequences.includes(stoppedBy)) return { stop_reason: "stop_sequence", stop_sequence: stoppedBy };
  return { stop_reason: "end_turn", stop_sequence: null };
}
