// Moonshot: cached tokens at the top of usage, and usage inside the choice.
import { type Host, tokens } from "./shown.ts";

export const moonshot: Host = {
  answers: {
    "cached-tokens.json": { usage: tokens(25, 25, 0, 3), content: "Hi" },
    "cached-tokens.sse": { usage: tokens(6, 3, 0, 4), content: "The sea is wide.", reasoning: "Hmm" },
    "calls.json": {
      usage: tokens(25, 25, 0, 3),
      reasoning: "Hmm",
      calls: [{ id: "look:0", name: "look", arguments: '{"q":1}' }],
      finish: "tool_calls",
    },
    "calls.sse": { usage: tokens(6, 3, 0, 4), calls: [{ id: "look:0", name: "look", arguments: '{"q":1}' }], finish: "tool_calls" },
    "usage-in-choice.sse": { usage: tokens(6, 3, 0, 4), content: "The sea is wide." },
  },
  faults: {
    "error-400-filter.json": { fault: "refused", reason: "The request was rejected because it was considered high risk" },
    "error-429-overloaded.json": { fault: "rate_limited", reason: "The engine is currently overloaded, please try again later" },
    "error-429-quota.json": { fault: "our_fault", reason: "Your account is suspended, please check your plan and billing details" },
    "error-midstream.sse": { fault: "unavailable", reason: "The engine is currently overloaded, please try again later", after: "The sea" },
  },
};
