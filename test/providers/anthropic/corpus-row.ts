// The form of a row of Anthropic's corpus, and where rows come from: pydantic-ai's recordings of its API, the AI SDK's fixtures, the types of
// Anthropic's SDK and its documentation, with our own words in them.
import type { ToolCalls } from "../../../src/usage.ts";
import type { Shape } from "../corpus.ts";

/** https://github.com/pydantic/pydantic-ai, folder tests/models/cassettes. */
export const recorded = (name: string) => `pydantic-ai: test_anthropic/${name}.yaml`;
/** https://github.com/vercel/ai, folder packages/anthropic/src/__fixtures__. */
export const aiSdk = (name: string) => `ai-sdk: ${name}`;
export const sdk = (type: string) => `@anthropic-ai/sdk 1.14.0, resources/messages/messages.d.ts: ${type}`;

export interface MessageRow extends Shape {
  /** A whole answer, an error's body, or a stream's events. */
  answer?: object;
  events?: { type: string; [key: string]: unknown }[];
  /** Tokens: input, cache read, cache write, output; null: not reported. */
  usage?: [number, number, number, number] | null;
  /** More of what is reported. */
  more?: { reasoning?: number; cacheWriteHour?: number; serviceTier?: string; toolCalls?: ToolCalls };
}

export const tokens = (input: number, output: number, read = 0, written = 0, more: object = {}) => ({
  usage: {
    ...{ input_tokens: input, output_tokens: output, cache_read_input_tokens: read, cache_creation_input_tokens: written },
    ...{
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
      inference_geo: "global",
      service_tier: "standard",
    },
    ...more,
  },
});
export const text = (said: string, more: object = {}) => ({ type: "text", text: said, ...more });
export const thinking = (thought: string) => ({ type: "thinking", thinking: thought, signature: "EqsB" });
export const look = (id: string, input: object) => ({ type: "tool_use", id, name: "look", input, caller: { type: "direct" } });
export const search = { type: "server_tool_use", id: "srvtoolu_01", name: "web_search", input: { query: "sea" } };
export const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_01",
  content: [{ type: "web_search_result", url: "https://example.com" }],
};
export const cited = { citations: [{ type: "web_search_result_location", url: "https://example.com", title: "Sea", cited_text: "wide" }] };
/** A step of an answer, as `usage.iterations` lists them. */
export const step = (type: string, input: number, output: number, read = 0, written = 0) => ({
  ...tokens(input, output, read, written).usage,
  type,
});
