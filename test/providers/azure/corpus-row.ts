// The form of a row of Azure's corpus, and where rows come from: Microsoft's page on content streaming and reports of its users, with our own
// words in them.
import type { Shape } from "../corpus.ts";

export const github = (path: string) => `https://github.com/${path}`;
export const streaming = "https://learn.microsoft.com/en-us/azure/ai-services/openai/concepts/content-streaming";

export interface Row extends Shape {
  /** A whole answer, or a stream's records. */
  answer?: object;
  records?: object[];
  /** Tokens: input, output, cache read; null: not reported. */
  usage?: [input: number, output: number, cacheRead?: number] | null;
}

export const safe = { filtered: false, severity: "safe" };
export const results = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
export const flagged = { ...results, violence: { filtered: true, severity: "medium" } };
export const prompted = [{ prompt_index: 0, content_filter_results: { ...results, jailbreak: { filtered: false, detected: false } } }];
export const head = { id: "chatcmpl-9VJI", object: "chat.completion.chunk", created: 1_717_249_403, model: "gpt-4o-2024-05-13" };
export const blank = { id: "", object: "", created: 0, model: "" };
export const filterFirst = { ...blank, choices: [], prompt_filter_results: prompted };
export const delta = (value: object, finish: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta: value, finish_reason: finish, logprobs: null, content_filter_results: results }],
});
export const usage = (prompt: number, output: number) => ({
  prompt_tokens: prompt,
  completion_tokens: output,
  total_tokens: prompt + output,
});
export const annotation = (finish: string | null, found: object) => ({
  ...blank,
  choices: [
    {
      ...{ index: 0, finish_reason: finish, content_filter_results: found },
      content_filter_offsets: { check_offset: 35, start_offset: 35, end_offset: 36 },
    },
  ],
});
export const whole = (message: object, finish: string, used: object) => ({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, finish_reason: finish, logprobs: null, message, content_filter_results: results }],
  prompt_filter_results: prompted,
  ...used,
});
export const error = (status: number, code: string, message: string, more: object = {}) => ({
  status,
  answer: { error: { code, message, ...more } },
});
export const stopped = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";
