// Reads log probabilities into OpenAI's shape, or null: `{content, refusal}` and nothing else, because an unknown key in a later chunk
// makes the OpenAI helper throw.
import { arrayOf, isObject, objectOf } from "../json/read.ts";

export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[] | null;
  top_logprobs: unknown[];
}

/** `text` is the choice's own text: Together's chunks carry a bare number for it. */
export function readLogprobs(value: unknown, text: unknown): { content: unknown[] | null; refusal: unknown[] | null } | null {
  if (typeof value === "number") return typeof text === "string" ? { content: [entry(text, value, [])], refusal: null } : null;
  if (!isObject(value)) return null;
  if (Array.isArray(value["content"]) || Array.isArray(value["refusal"])) {
    return { content: listOrNull(value["content"]), refusal: listOrNull(value["refusal"]) };
  }
  return Array.isArray(value["tokens"]) ? { content: fromArrays(value["tokens"], value), refusal: null } : null;
}

/** Together and Fireworks: parallel arrays as in the oldest completions dialect. */
function fromArrays(tokens: unknown[], value: Record<string, unknown>): TokenLogprob[] {
  const logprobs = arrayOf(value["token_logprobs"]);
  const tops = arrayOf(value["top_logprobs"]);
  return tokens.map((token, index) => {
    const logprob = logprobs[index];
    const others = Object.entries(objectOf(tops[index])).filter((pair): pair is [string, number] => typeof pair[1] === "number");
    return entry(String(token), typeof logprob === "number" ? logprob : 0, others);
  });
}

function entry(token: string, logprob: number, others: [string, number][]): TokenLogprob {
  const top = others.map(([text, chance]) => ({ token: text, logprob: chance, bytes: bytesOf(text) }));
  return { token, logprob, bytes: bytesOf(token), top_logprobs: top };
}

function bytesOf(text: string): number[] {
  return [...Buffer.from(text)];
}

function listOrNull(value: unknown): unknown[] | null {
  return Array.isArray(value) ? value : null;
}
