// Mistral: content as an array with thinking in it, cached tokens under two names, flat errors.
import { type Host, tokens } from "./shown.ts";

export const mistral: Host = {
  answers: {
    "calls.json": {
      usage: tokens(12, 0, 0, 6),
      calls: [{ id: "D681PevKs", name: "look", arguments: '{"q": 1}' }],
      finish: "tool_calls",
      kept: ["prefix"],
    },
    "calls.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: "D681PevKs", name: "look", arguments: '{"q": 1}' },
        { id: "a1B2c3D4e", name: "look", arguments: '{"q": 2}' },
      ],
      finish: "tool_calls",
    },
    "details.sse": { usage: tokens(6, 3, 0, 4), content: "The sea is wide.", finish: "length" },
    "prompt-token-details.json": { usage: tokens(7, 5, 0, 6), content: "Hi" },
    "thinking-parts.json": { usage: tokens(8, 4, 0, 6), content: "Hi you", reasoning: "Hmm", finish: "length" },
    "thinking-parts.sse": { usage: tokens(8, 1, 0, 4), content: "The sea is wide.", reasoning: "Hmm" },
  },
  faults: {
    "error-400-flat.json": { fault: "rejected", reason: "Expected last role User or Tool but got assistant" },
    "error-401-message.json": { fault: "our_fault", reason: "Unauthorized" },
    "error-422-detail.json": { fault: "rejected", reason: "body.temperature: Input should be greater than or equal to 0" },
    "error-429-flat.json": { fault: "rate_limited", reason: "Service tier capacity exceeded for this model." },
    "error-midstream-finish.sse": { fault: "unavailable", reason: "the upstream reports a failure in the answer", after: "The sea" },
    "error-midstream.sse": { fault: "unavailable", reason: "Service unavailable.", after: "The sea" },
  },
};
