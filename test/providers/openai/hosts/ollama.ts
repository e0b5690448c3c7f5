// Ollama: calls whole in one chunk, all of index 0, and finish `stop` with them.
import { type Host, tokens } from "./shown.ts";

export const ollama: Host = {
  answers: {
    "logprobs.json": { usage: tokens(9, 0, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]] },
    "reasoning.json": { usage: tokens(11, 0, 0, 7), content: "Hi", reasoning: "Hmm", kept: ["system_fingerprint"] },
    "reasoning.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide.", reasoning: "Hmm", kept: ["system_fingerprint"] },
    "whole-call.json": { usage: tokens(11, 0, 0, 7), calls: [{ id: "call_a", name: "look", arguments: '{"q":1}' }], finish: "tool_calls" },
    "whole-calls.sse": {
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
  },
  faults: {
    "error-400-tools.json": { fault: "rejected", reason: "registry.ollama.ai/library/x:latest does not support tools" },
    "error-404-model.json": { fault: "gone", reason: 'model "x:20b" not found, try pulling it first' },
    "error-500-memory.json": { fault: "unavailable", reason: "model requires more system memory (12.0 GiB) than is available (8.0 GiB)" },
    "error-midstream.sse": { fault: "unavailable", reason: "an error was encountered while running the model", after: "The sea" },
  },
};
