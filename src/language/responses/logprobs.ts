// Log probabilities: whether a request asks for them, and how chat's entries become those of Responses, where each has its bytes.
import { arrayOf, isObject, objectOf } from "../../providers/json/read.ts";
import type { Logprob, ResponseRequest } from "./types.ts";

/** Either field alone asks for them; clients send one, the other, or both. */
export function asksLogprobs({ include, top_logprobs }: Pick<ResponseRequest, "include" | "top_logprobs">): boolean {
  return (top_logprobs ?? 0) > 0 || (include ?? []).includes("message.output_text.logprobs");
}

/** Reads `logprobs` of a chat choice. */
export function readLogprobs(logprobs: unknown): Logprob[] {
  return arrayOf(objectOf(logprobs)["content"]).flatMap((entry) => {
    const [said] = tokenOf(entry);
    return said === undefined ? [] : [{ ...said, top_logprobs: arrayOf(objectOf(entry)["top_logprobs"]).flatMap(tokenOf) }];
  });
}

function tokenOf(entry: unknown): Omit<Logprob, "top_logprobs">[] {
  if (!isObject(entry)) return [];
  const { token, logprob, bytes } = entry;
  if (typeof token !== "string" || typeof logprob !== "number") return [];
  return [{ token, logprob, bytes: Array.isArray(bytes) ? (bytes as number[]) : [...Buffer.from(token)] }];
}
