// Alibaba: cache reads and cache writes both inside the prompt; reasoning switched by enable_thinking.
import { type Host, tokens } from "./shown.ts";

export const alibaba: Host = {
  answers: {
    "cache-creation.json": { usage: tokens(100, 600, 300, 9), content: "Hi" },
    "cache-creation.sse": { usage: tokens(100, 600, 300, 9), content: "The sea is wide.", reasoning: "Hmm" },
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
  },
  faults: {
    "error-400-arrears.json": { fault: "our_fault", reason: "Access denied, please make sure your account is in good standing." },
    "error-400-inspection.json": { fault: "refused", reason: "Input data may contain inappropriate content." },
    "error-400-thinking.json": { fault: "rejected", reason: "parameter.enable_thinking must be set to false for non-streaming calls" },
    "error-429-rate.json": { fault: "rate_limited", reason: "You exceeded your current requests list." },
    "error-midstream.sse": { fault: "unavailable", reason: "Internal server error!", after: "The sea" },
  },
};
