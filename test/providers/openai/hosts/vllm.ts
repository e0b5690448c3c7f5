// vLLM: usage in every chunk, reasoning under its newer and older name, errors nested and flat, stop_reason of its own.
import { type Host, tokens } from "./shown.ts";

export const vllm: Host = {
  answers: {
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [{ id: "chatcmpl-tool-1", name: "look", arguments: '{"q":1}' }],
      finish: "tool_calls",
      kept: ["stop_reason"],
    },
    "continuous-usage.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide.", kept: ["stop_reason"] },
    "logprobs.json": {
      usage: tokens(9, 0, 0, 1),
      content: "A",
      logprobs: [["A", -0.25, { A: -0.25, B: -9999 }]],
      kept: ["kv_transfer_params", "prompt_logprobs", "stop_reason"],
    },
    "older-reasoning-content.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide.", reasoning: "Hmm", kept: ["stop_reason"] },
    "reasoning-and-call.json": {
      usage: tokens(11, 0, 0, 7),
      reasoning: "Hmm",
      calls: [{ id: "chatcmpl-tool-1", name: "look", arguments: '{"q": 1}' }],
      finish: "tool_calls",
      kept: ["prompt_logprobs"],
    },
    "reasoning.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide.", reasoning: "Hmm", kept: ["stop_reason"] },
  },
  faults: {
    "error-400-context.json": {
      fault: "rejected",
      reason: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      param: "max_tokens",
    },
    "error-400-flat.json": { fault: "rejected", reason: "Conversation roles must alternate user/assistant/user/assistant/..." },
    "error-404-model.json": { fault: "gone", reason: "The model `x` does not exist.", param: "model" },
    "error-first-flat.sse": { fault: "rejected", reason: "This model's maximum context length is 4096 tokens." },
    "error-midstream.sse": { fault: "unavailable", reason: "EngineCore died", after: "The sea" },
  },
};
