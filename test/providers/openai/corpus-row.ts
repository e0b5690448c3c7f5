// The form of a row of the corpus of the `openai` protocol, and where rows come from: pydantic-ai's recordings of OpenAI and of hosts that speak
// like it, the AI SDK's fixtures and OpenAI's reference, with our own words in them. What single hosts do otherwise: hosts/hosts.test.ts.
import type { Shape } from "../corpus.ts";

/** https://github.com/pydantic/pydantic-ai, folder tests/models/cassettes. */
export const recorded = (name: string) => `pydantic-ai: ${name}.yaml`;
/** https://github.com/vercel/ai, folder packages/openai/src/chat/__fixtures__. */
export const aiSdk = (name: string) => `ai-sdk: ${name}`;

export interface Row extends Shape {
  /** A whole answer, an error's body, or a stream's records. */
  answer?: object;
  records?: object[];
  /** Tokens: input, cache read, cache write, output, reasoning; null: not reported. */
  usage?: [number, number, number, number, number] | null;
}

const head = { id: "chatcmpl-D8Z5", created: 1_770_933_883, model: "up", system_fingerprint: "fp_1" };
export const used = (prompt: number, output: number, more: object = {}) => ({
  usage: { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output, ...more },
});
export const details = (cached: number, reasoning: number, prompt: object = {}) => ({
  prompt_tokens_details: { audio_tokens: 0, cached_tokens: cached, ...prompt },
  completion_tokens_details: { accepted_prediction_tokens: 0, audio_tokens: 0, reasoning_tokens: reasoning, rejected_prediction_tokens: 0 },
});
export const whole = (message: object, finish: string | null, usage: object, more: object = {}) => ({
  ...{
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish, logprobs: null }],
  },
  ...usage,
  ...more,
});
export const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  ...{ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }] },
  ...more,
});
export const last = (usage: object) => ({ ...head, object: "chat.completion.chunk", choices: [], ...usage });
export const look = (id: string, text: string) => ({ id, type: "function", function: { name: "look", arguments: text } });
export const error = (status: number, code: string | null, message: string, more: object = {}) => ({
  status,
  answer: { error: { message, type: "invalid_request_error", param: null, code, ...more } },
});
