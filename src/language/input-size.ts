// How large texts are that a model reads one by one and answers without a text: embeddings and rankings.
// Their upper bound is capped by a context window for each text, not by one for all (src/language/reserve.ts).
import { type PromptSize, sizeOf } from "./prompt-size.ts";

/** Marks that a model sets around one text: no tokenizer known to us takes more. */
const markTokens = 8;

export function inputSize(texts: readonly string[]): PromptSize {
  const size = sizeOf({ texts: [...texts], messages: 0, images: 0 });
  return { ...size, tokensMax: size.tokensMax + texts.length * markTokens, contexts: texts.length, prompts: texts.length };
}

/** Texts that come as their tokens: whoever made them has counted them. */
export function tokensSize(lists: readonly (readonly number[])[]): PromptSize {
  const tokens = lists.reduce((sum, { length }) => sum + length, 0);
  return { tokensMax: tokens, contexts: lists.length, prompts: lists.length, tokensLikely: tokens, countTokens: async () => tokens };
}

/**
 * A query is counted once. But there are hosts that read and bill it with every document (Voyage, Jina), so the bound is that of
 * so many queries.
 */
export function rankingSize(query: string, documents: readonly string[]): PromptSize {
  const size = inputSize([query, ...documents]);
  const again = (Buffer.byteLength(query) + markTokens) * (documents.length - 1);
  return { ...size, tokensMax: size.tokensMax + again, contexts: documents.length, prompts: documents.length };
}
