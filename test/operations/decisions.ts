// The decisions model of tests, and one question for it.
import { language } from "./chat-gateway.ts";

/** `routes` as language() takes them. */
export function decisions(routes: (string | object)[], more: object = {}): object {
  const { max_output_tokens: _, ...model } = language("jev", routes) as Record<string, unknown>;
  return { ...model, type: "decisions", context_window: 65_536, pricing: { mode: "per-token", input: 0.3, output: 7 }, ...more };
}

export const parcel = {
  state: "The parcel was returned twice and the customer wants a refund of the money.",
  questions: {
    next_step: {
      type: "choice",
      instructions: "What should support do?",
      criteria: { refund: "Give the money back.", resend: "Send the parcel again.", ask: null },
    },
  },
};
