// OpenRouter: comments while it queues, reasoning_details to be sent back, numeric error codes; callers don't see who served.
import { type Host, tokens } from "./shown.ts";

export const openrouter: Host = {
  answers: {
    "calls.sse": {
      usage: tokens(2, 5, 2, 4, 1),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
      kept: ["native_finish_reason"],
    },
    "comments.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide." },
    "reasoning-details.sse": {
      usage: tokens(2, 5, 2, 4, 1),
      content: "The sea is wide.",
      reasoning: "Hmm",
      kept: ["native_finish_reason", "reasoning_details"],
    },
    "whole.json": { usage: tokens(20, 8, 2, 9), content: "Hi", reasoning: "Hmm", kept: ["reasoning_details"] },
  },
  faults: {
    "error-200.json": { fault: "unavailable", reason: "Provider returned error" },
    "error-400-input.json": { fault: "rejected", reason: "model is not a valid model ID" },
    "error-402-credits.json": { fault: "our_fault", reason: "This request requires more credits, or fewer max_tokens." },
    "error-403-flagged.json": { fault: "refused", reason: "Input was flagged" },
    "error-429-rate.json": { fault: "rate_limited", reason: "Provider returned error" },
    "error-first.sse": { fault: "rate_limited", reason: "Rate limited upstream" },
    "error-midstream.sse": { fault: "unavailable", reason: "Provider returned error", after: "The sea" },
  },
};
