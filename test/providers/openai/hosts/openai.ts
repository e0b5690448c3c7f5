// OpenAI: details under both sums, errors with type, param and code; a spent quota is a 429 that must not be retried.
import { type Host, tokens } from "./shown.ts";

export const openai: Host = {
  answers: {
    "calls.sse": {
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "logprobs.json": { usage: tokens(9, 0, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]] },
    "logprobs.sse": { usage: tokens(9, 0, 0, 1), content: "A", logprobs: [["A", -0.25, { A: -0.25, B: -1.5 }]] },
    "refusal.json": { usage: tokens(9, 0, 0, 6), refusal: "I can't help with that." },
    "stream.sse": { usage: tokens(7, 2, 0, 4), content: 'The "sea" is\nwide.', kept: ["service_tier", "system_fingerprint"] },
    "whole.json": {
      usage: { ...tokens(50, 40, 10, 50, 20), serviceTier: "default" },
      content: "Hi",
      kept: ["service_tier", "system_fingerprint"],
    },
  },
  faults: {
    "error-400-context.json": {
      fault: "rejected",
      reason: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      param: "messages",
    },
    "error-400-parameter.json": {
      fault: "rejected",
      reason: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      param: "max_tokens",
    },
    "error-400-policy.json": { fault: "refused", reason: "Your request was rejected as a result of our safety system." },
    "error-401-key.json": { fault: "our_fault", reason: "Incorrect API key provided: [hidden]." },
    "error-404-model.json": { fault: "gone", reason: "The model `gpt-y` does not exist or you do not have access to it." },
    "error-429-quota.json": { fault: "our_fault", reason: "You exceeded your current quota, please check your plan and billing details." },
    "error-429-rate.json": {
      fault: "rate_limited",
      reason: "Rate limit reached for gpt-x in organization org-1 on tokens per min (TPM): Limit 30000.",
    },
    "error-midstream.sse": { fault: "unavailable", reason: "The server had an error while processing your request.", after: "The sea" },
  },
};
