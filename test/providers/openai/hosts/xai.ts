// xAI: completion_tokens leave reasoning out, the total holds it; errors as a plain text beside a code.
import { type Host, tokens } from "./shown.ts";

export const xai: Host = {
  answers: {
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "logprobs.json": { usage: tokens(9, 0, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]] },
    "reasoning-apart.json": { usage: tokens(26, 6, 0, 209, 200), content: "Hi", reasoning: "Hmm" },
    "reasoning-apart.sse": { usage: tokens(26, 6, 0, 209, 200), content: "The sea is wide.", reasoning: "Hmm" },
  },
  faults: {
    "error-400-key.json": {
      fault: "our_fault",
      reason: "Incorrect API key provided: [hidden]. You can obtain an API key from https://console.x.ai.",
    },
    "error-403-usage.json": { fault: "refused", reason: "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO" },
    "error-422-text.json": { fault: "rejected", reason: "Argument not supported on this model: stop" },
    "error-429-text.json": { fault: "rate_limited", reason: "Too many requests for your team" },
    "error-midstream.sse": { fault: "unavailable", reason: "Service temporarily unavailable.", after: "The sea" },
  },
};
