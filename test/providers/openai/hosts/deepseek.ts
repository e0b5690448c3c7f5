// DeepSeek: cache hits beside the totals, comments and blank lines while it queues, a finish reason that means failure.
import { type Host, tokens } from "./shown.ts";

export const deepseek: Host = {
  answers: {
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_00_x", name: "look", arguments: '{"q":1}' },
        { id: "call_01_y", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "keep-alives.sse": { usage: tokens(6, 3, 0, 4), content: "The sea is wide.", reasoning: "Hmm" },
    "logprobs.json": { usage: tokens(9, 0, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]] },
    "whole.json": { usage: tokens(16, 48, 0, 20, 12), content: "Hi", reasoning: "Hmm" },
  },
  faults: {
    "error-400-reasoning.json": {
      fault: "rejected",
      reason: "The `reasoning_content` in the thinking mode must be passed back to the API.",
    },
    "error-402-balance.json": { fault: "our_fault", reason: "Insufficient Balance" },
    "error-503-busy.json": {
      fault: "unavailable",
      reason: "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.",
    },
    "error-midstream-finish.sse": { fault: "unavailable", reason: "the upstream reports a failure in the answer", after: "The sea" },
  },
};
