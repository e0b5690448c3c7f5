// Why a job failed, in its own words, from the codes that hosts of the OpenAI family answer with (WIRE.md 10.5).
// fal's codes are fal/error-words.ts's.
import { type ErrorSigns, safeWord } from "./error-text.ts";
import type { Provider, UpstreamError, UpstreamFault } from "../types.ts";

/** With the word that it was told by. */
type Job = NonNullable<UpstreamError["job"]> & { word: string };

/** Null: the fault says as much. */
export function jobOf(fault: UpstreamFault, status: number, signs: ErrorSigns, provider: Provider): Job | null {
  const job = readJob(fault, status, signs);
  return job && { ...job, word: safeWord(job.word, provider) };
}

function readJob(fault: UpstreamFault, status: number, { words, param }: ErrorSigns): Job | null {
  const has = (pattern: RegExp) => [...words].find((word) => pattern.test(word));
  if (fault === "refused") {
    const moderation = has(/^(?:moderation|moderation_blocked|content_moderation|image_generation_user_error)$/);
    if (moderation !== undefined) return { code: "moderation_blocked", word: moderation };
    return { code: "content_policy", word: has(/policy|safety|filter|prohibited|inspection|bad_prompt/) ?? "content_policy" };
  }
  if (fault !== "rejected") return null;
  const tooLarge = has(/^(?:image|file)_too_large$/);
  if (tooLarge !== undefined || status === 413) return { code: "input_too_large", word: tooLarge ?? "request_too_large" };
  const tooLong = has(/^string_(?:above_max_length|too_long)$/);
  if (tooLong !== undefined && param === "prompt") return { code: "prompt_too_long", word: tooLong };
  const image = has(/^(?:invalid_image\w*|image_parse_error|unsupported_image\w*|empty_image_file)$/);
  if (image !== undefined) return { code: "input_invalid", word: image };
  return param !== null && /^image\b/.test(param) ? { code: "input_invalid", word: "invalid_image" } : null;
}
