// Groq: usage in x_groq as well or only there, times inside it, x_groq.error in a stream, 413 for too many tokens a minute.
import { type Host, tokens } from "./shown.ts";

export const groq: Host = {
  answers: {
    "cached.json": { usage: tokens(8, 12, 0, 8), content: "Hi" },
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "usage-twice.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide." },
    "usage-with-times.json": { usage: tokens(20, 0, 0, 8), content: "Hi" },
    "x-groq-usage.json": { usage: tokens(20, 0, 0, 8), content: "Hi", reasoning: "Hmm" },
    "x-groq-usage.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide.", reasoning: "Hmm" },
  },
  faults: {
    "error-400-decommissioned.json": { fault: "gone", reason: "The model `x` has been decommissioned and is no longer supported." },
    "error-400-failed-generation.json": { fault: "rejected", reason: "Failed to call a function. Please adjust your prompt." },
    "error-400-no-logprobs.json": { fault: "rejected", reason: "property 'logprobs' is unsupported" },
    "error-413-tokens.json": {
      fault: "rate_limited",
      reason: "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000",
    },
    "error-429-rate.json": { fault: "rate_limited", reason: "Rate limit reached. Please try again in 2m59.5s." },
    "error-midstream.sse": { fault: "unavailable", reason: "over capacity", after: "The sea" },
  },
};
