// The form of a row of Cohere's corpus, and where rows come from: the AI SDK's recordings of its v2
// (https://github.com/vercel/ai, folder packages/cohere/src/__fixtures__) and Cohere's reference, with our own
// words in them.
import type { Shape } from "../corpus.ts";

export const aiSdk = (name: string) => `ai-sdk: ${name}`;
/** https://github.com/pydantic/pydantic-ai, folder tests/models/cassettes. */
export const recorded = (name: string) => `pydantic-ai: ${name}.yaml`;
/** The error's class in npm's cohere-ai. */
export const sdkError = (name: string) => `cohere-ai 8.1.0, api/errors/${name}.d.ts`;
export const reference = "https://docs.cohere.com/v2/reference/errors";

export interface Row extends Shape {
  /** A whole answer, or a stream's events. */
  answer?: object;
  events?: object[];
  /** Billed tokens, input and output; null: not reported. */
  usage?: [number, number] | null;
}

export const id = "2941521a-b87a-45f6-9b0d-235fd66c3025";
export const billed = (input: number, output: number, more = 0) => ({
  billed_units: { input_tokens: input, output_tokens: output },
  tokens: { input_tokens: input + more, output_tokens: output + 4 },
  cached_tokens: more,
});
export const start = {
  id,
  type: "message-start",
  delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] } },
};
export const called = (index: number, tool: object) => ({ type: "tool-call-start", index, delta: { message: { tool_calls: tool } } });
export const more = (index: number, text: string) => ({
  ...{ type: "tool-call-delta", index },
  delta: { message: { tool_calls: { function: { arguments: text } } } },
});
export const look = { id: "look_e8p4pn45zt0t", type: "function", function: { name: "look", arguments: "" } };
export const end = (finish: string, usage: object) => ({ type: "message-end", delta: { finish_reason: finish, usage } });
