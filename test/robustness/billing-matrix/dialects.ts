// How each endpoint is asked, and where its answer says what was charged.
import type { Kind } from "./cells.ts";
import { questions } from "./reference.ts";

export interface Dialect {
  path: string;
  /** Type of model in the catalog. */
  type: "language" | "embedding" | "reranking" | "decisions";
  body(model: string, cap: number): object;
  /** One match a piece of text in a stream. */
  delta: RegExp;
  shown(usage: any): Shown;
}

/** What an answer says of its usage; null: this dialect doesn't say that. */
export interface Shown {
  prompt: number;
  cacheRead: number | null;
  cacheWrite: number | null;
  output: number | null;
  cost: number;
}

const messages = [{ role: "user", content: "Hello" }];

const shownByChat = ({ prompt_tokens, completion_tokens, prompt_tokens_details: details, cost }: any): Shown => ({
  prompt: prompt_tokens,
  cacheRead: details.cached_tokens,
  cacheWrite: details.cache_write_tokens ?? 0,
  output: completion_tokens,
  cost,
});

const shownOfTexts = ({ prompt_tokens, cost }: any): Shown => ({
  prompt: prompt_tokens,
  cacheRead: null,
  cacheWrite: null,
  output: null,
  cost,
});

const none = /(?!)/g;
const usageToo = { stream_options: { include_usage: true } };

export const dialects: Record<Kind, Dialect> = {
  chat: {
    path: "/v1/chat/completions",
    type: "language",
    body: (model, cap) => ({ model, messages, max_tokens: cap, ...usageToo }),
    delta: /"content":"[^"]/g,
    shown: shownByChat,
  },
  messages: {
    path: "/v1/messages",
    type: "language",
    body: (model, cap) => ({ model, messages, max_tokens: cap }),
    delta: /"type":"text_delta"/g,
    shown: ({ input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written, output_tokens, cost }) => ({
      prompt: input_tokens + read + written,
      cacheRead: read,
      cacheWrite: written,
      output: output_tokens,
      cost,
    }),
  },
  completions: {
    path: "/v1/completions",
    type: "language",
    body: (model, cap) => ({ model, prompt: "Hello", max_tokens: cap, ...usageToo }),
    delta: /"text":"[^"]/g,
    shown: shownByChat,
  },
  responses: {
    path: "/v1/responses",
    type: "language",
    body: (model, cap) => ({ model, input: "Hello", max_output_tokens: cap }),
    delta: /"type":"response.output_text.delta"/g,
    shown: ({ input_tokens, input_tokens_details: details, output_tokens, cost }) => ({
      prompt: input_tokens,
      cacheRead: details.cached_tokens,
      cacheWrite: details.cache_write_tokens,
      output: output_tokens,
      cost,
    }),
  },
  embeddings: {
    path: "/v1/embeddings",
    type: "embedding",
    body: (model) => ({ model, input: ["Hello", "Hello Hello"] }),
    delta: none,
    shown: shownOfTexts,
  },
  rerank: {
    path: "/v1/rerank",
    type: "reranking",
    body: (model) => ({ model, query: "Hello", documents: ["Hello", "Hello Hello"] }),
    delta: none,
    shown: shownOfTexts,
  },
  decisions: {
    path: "/v1/decisions",
    type: "decisions",
    body: (model) => ({
      model,
      state: "The parcel was returned twice and the customer wants a refund of the money.",
      questions: Object.fromEntries(
        Array.from({ length: questions }, (_, n) => [
          `q${n}`,
          { type: "choice", instructions: `Number ${n}?`, criteria: { refund: "Give the money back.", resend: "Send the parcel again." } },
        ]),
      ),
    }),
    delta: none,
    shown: ({ input_tokens, output_tokens, cost }) => ({
      prompt: input_tokens,
      cacheRead: null,
      cacheWrite: null,
      output: output_tokens,
      cost,
    }),
  },
};
