// Why a message ended, as a chat answer says it (WIRE.md 8.1).
import { textOf } from "../json/read.ts";
import type { FinishReason, MessageEnd } from "../types.ts";

const finishes: Readonly<Record<MessageEnd["stop_reason"], FinishReason>> = {
  end_turn: "stop",
  pause_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** A caller would not run tools beside `stop`. */
export function chatFinish({ stop_reason }: MessageEnd, calledTools: boolean): FinishReason {
  const finish = finishes[stop_reason];
  return finish === "stop" && calledTools ? "tool_calls" : finish;
}

/** What a refusal says of itself; null where it says nothing, or there is none. */
export function refusalText({ stop_reason, stop_details }: MessageEnd): string | null {
  return stop_reason === "refusal" ? textOf(stop_details?.["explanation"]) : null;
}
