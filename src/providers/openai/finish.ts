// Finish reasons of all hosts, in the words of the OpenAI dialect (WIRE.md 2.2).
import type { FinishReason } from "../types.ts";

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

/** Words that say the host failed, not that the model ended. */
const failures = new Set(["error", "abort", "insufficient_system_resource", "network_error"]);

/** Null where none is given yet; "failed" where the host says so; a word nobody knows counts as a plain end. */
export function readFinish(value: unknown, calls: { tools: boolean; legacy: boolean }): FinishReason | "failed" | null {
  if (typeof value !== "string" || value === "") return null;
  const word = value.toLowerCase();
  if (failures.has(word)) return "failed";
  const finish = words.get(word) ?? "stop";
  if (!calls.tools) return finish;
  // Ollama and others say `stop` though tools are called; a caller would then not run them.
  return finish === "stop" || (finish === "function_call" && !calls.legacy) ? "tool_calls" : finish;
}
