// Quirks that several hosts or old builds share.
import { type Host, tokens } from "./shown.ts";

export const others: Host = {
  answers: {
    "cache-apart.json": { usage: tokens(10, 80, 20, 5), content: "Hi" },
    "late-call-name.sse": {
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
    "no-done.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide." },
    "no-finish.sse": { usage: tokens(9, 0, 0, 4), content: "The sea is wide." },
    "null-call-fields.sse": {
      calls: [
        { id: "call_1", name: "look", arguments: '{"q":1}' },
        { id: "call_2", name: "look", arguments: '{"q":2}' },
      ],
      finish: "tool_calls",
    },
  },
  faults: {},
};
