// DeepInfra: completion_tokens may leave reasoning out; errors also in the form of its native inference.
import { type Host, tokens } from "./shown.ts";

export const deepinfra: Host = {
  answers: {
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "reasoning-apart.json": { usage: tokens(10, 0, 0, 34, 30), content: "Hi", reasoning: "Hmm" },
    "reasoning-apart.sse": { usage: tokens(9, 0, 0, 34, 30), content: "The sea is wide.", reasoning: "Hmm" },
    "reasoning-inside.json": { usage: tokens(10, 0, 0, 40, 30), content: "Hi", reasoning: "Hmm" },
  },
  faults: {
    "error-422-native.json": { fault: "rejected", reason: "body.temperature: ensure this value is less than or equal to 2" },
    "error-429-busy.json": { fault: "rate_limited", reason: "Model busy, retry later" },
    "error-500-native.json": { fault: "unavailable", reason: "inference exception" },
    "error-midstream.sse": { fault: "unavailable", reason: "inference failed", after: "The sea" },
  },
};
