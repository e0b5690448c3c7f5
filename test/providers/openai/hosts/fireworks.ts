// Fireworks: OpenAI's shape, but an error may be a plain text.
import { type Host, tokens } from "./shown.ts";

export const fireworks: Host = {
  answers: {
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "logprobs.json": { usage: tokens(5, 4, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]] },
    "stream.sse": { usage: tokens(7, 2, 0, 4), content: "The sea is wide.", reasoning: "Hmm" },
    "whole.json": { usage: tokens(3, 0, 0, 1), content: "Hi", finish: "length" },
  },
  faults: {
    "error-400-text.json": { fault: "rejected", reason: "Extra inputs are not permitted, field: 'foo'" },
    "error-404-object.json": { fault: "gone", reason: "Model not found, inaccessible, and/or not deployed" },
    "error-429-text.json": { fault: "rate_limited", reason: "Rate limit exceeded" },
    "error-midstream-text.sse": { fault: "unavailable", reason: "The server had an error", after: "The sea" },
  },
};
