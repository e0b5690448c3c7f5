// Gemini's compatible mode: calls without index or id, thought signatures, errors in an array.
import { expect } from "vitest";
import { variants } from "../../../../src/catalog/variants.ts";
import { type Host, tokens } from "./shown.ts";

export const gemini: Host = {
  answers: {
    "calls-without-index.sse": {
      usage: tokens(9, 0, 0, 4),
      calls: [
        { id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: "look", arguments: '{"q":1}' },
        { id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
      kept: ["extra_content"],
    },
    "empty-call-ids.json": {
      usage: tokens(10, 0, 0, 105, 100),
      calls: [
        { id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: "look", arguments: "{}" },
        { id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: "look", arguments: "{}" },
      ],
      finish: "tool_calls",
      kept: ["extra_content"],
    },
    // https://discuss.ai.google.dev/t/127400: thoughts are in the total alone, and each record has the usage so far.
    "thoughts-in-total.sse": {
      variant: variants.google,
      usage: tokens(9, 0, 0, 101, 97),
      content: "1, 2",
      finish: "length",
      kept: ["extra_content"],
    },
    "thoughts-in-total.json": { variant: variants.google, usage: tokens(5, 4, 0, 98, 90), content: "The sea." },
    "thoughts-alone.json": { variant: variants.google, usage: tokens(21, 0, 0, 60, 60), finish: "length" },
    "finish-safety.json": { usage: tokens(10, 0, 0, 0), finish: "content_filter" },
    "stream.sse": { usage: tokens(9, 0, 0, 104, 100), content: "The sea is wide." },
  },
  faults: {
    "error-400-array.json": { fault: "rejected", reason: 'Invalid JSON payload received. Unknown name "foo": Cannot find field.' },
    "error-400-key-array.json": { fault: "our_fault", reason: "API key not valid. Please pass a valid API key." },
    "error-400-prohibited.json": { fault: "refused", reason: "The prompt was blocked." },
    "error-400-signature.json": { fault: "rejected", reason: "Function call is missing a thought_signature in functionCall parts." },
    "error-429-array.json": { fault: "rate_limited", reason: "You exceeded your current quota. Please retry in 34s." },
    "error-503-array.json": { fault: "unavailable", reason: "The model is overloaded. Please try again later." },
    "error-first-array.sse": { fault: "rate_limited", reason: "Resource has been exhausted." },
    "error-midstream-array.sse": { fault: "unavailable", reason: "The model is overloaded. Please try again later.", after: "The sea" },
  },
};
