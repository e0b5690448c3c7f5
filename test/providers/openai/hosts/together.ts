// Together: usage unasked in the last chunk, `eos`, log probabilities as parallel arrays or a bare number.
import { type Host, tokens } from "./shown.ts";

export const together: Host = {
  answers: {
    "bare-logprobs.sse": {
      usage: tokens(9, 0, 0, 4),
      content: "The sea is wide.",
      logprobs: [["The sea is wide.", -0.25, {}]],
      kept: ["token_id"],
    },
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "legacy-logprobs.sse": { usage: tokens(9, 0, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]], kept: ["token_id"] },
    "reasoning-content.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide.", reasoning: "Hmm" },
    "reasoning.json": { usage: tokens(5, 0, 0, 3), content: "Hi", reasoning: "Hmm" },
    "stream.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide." },
    "whole-legacy-logprobs.json": {
      usage: tokens(5, 0, 0, 2),
      content: "Hi there",
      logprobs: [
        ["Hi", -0.1, { Hi: -0.1, Yo: -3.5 }],
        [" there", -0.2, { " there": -0.2 }],
      ],
    },
  },
  faults: {
    "error-422-input.json": {
      fault: "rejected",
      reason: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097",
      param: "max_tokens",
    },
    "error-429-rate.json": { fault: "rate_limited", reason: "You have reached the rate limit specific to this model" },
    "error-503-busy.json": { fault: "unavailable", reason: "The server is overloaded or not ready yet" },
    "error-midstream.sse": { fault: "unavailable", reason: "Internal server error", after: "The sea" },
  },
};
