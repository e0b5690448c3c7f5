// fal's words for what went wrong, and what each of them is to a job (the table of WIRE.md 12).
import type { UpstreamError } from "../types.ts";

export type JobCode = NonNullable<UpstreamError["job"]>["code"];

const codes = new Map<string, JobCode>([
  ["content_policy_violation", "content_policy"],
  ["image_too_large", "input_too_large"],
  ["file_too_large", "input_too_large"],
  ["image_too_small", "input_invalid"],
  ["image_load_error", "input_invalid"],
  ["file_download_error", "input_invalid"],
  ["face_detection_error", "input_invalid"],
  ["unsupported_image_format", "input_invalid"],
  ["no_media_generated", "provider_error"],
  ["generation_timeout", "provider_timeout"],
  ["request_timeout", "provider_timeout"],
  ["startup_timeout", "provider_timeout"],
  ["downstream_service_error", "provider_error"],
  ["internal_server_error", "provider_error"],
  ["internal_error", "provider_error"],
  ["downstream_service_unavailable", "provider_unavailable"],
  ["client_cancelled", "provider_error"],
  ["client_disconnected", "provider_error"],
]);

const tooLong = new Set(["sequence_too_long", "string_too_long", "value_error.any_str.max_length"]);

export interface Told {
  /** The type that the answer names. */
  word: string;
  /** It came with the place in the input that it is about. */
  located: boolean;
  /** That place. */
  place: string[];
  /** All that the answer says, for the hints in its words. */
  text: string;
}

/** Null: the word says nothing that the status does not. */
export function jobCodeOf({ word, located, place, text }: Told): JobCode | null {
  if (tooLong.has(word)) return place.some((name) => /prompt/i.test(name)) ? "prompt_too_long" : "input_invalid";
  const code = codes.get(word);
  if (code === "content_policy") return policyOf(text);
  if (code !== undefined) return code;
  if (word.startsWith("runner_")) return "provider_unavailable"; // `runner_scheduling_failure`, `runner_connection_refused` …
  if (isConcurrency(word)) return "provider_rate_limited";
  return located ? "input_invalid" : null; // `greater_than`, `one_of`, `missing` and the many others that pydantic has
}

/** The model ran into its own limit, which is no word on how often the queue is asked. */
export function isConcurrency(word: string): boolean {
  return /concurren/.test(word);
}

function policyOf(text: string): JobCode {
  if (/\b(?:nsfw|nud(?:e|ity)|sexual(?:ly|ity)?|porn\w*|explicit)\b|\bnot safe for work\b/i.test(text)) return "content_policy_nsfw";
  if (/\blikeness(?:es)?\b|\breal (?:people|persons?)\b|\bpublic figures?\b|\bcelebrit(?:y|ies)\b/i.test(text))
    return "content_policy_likeness";
  if (/\b(?:unsafe|dangerous|violen(?:t|ce)|weapons?|self-harm|terror\w*)\b/i.test(text)) return "content_policy_unsafe";
  return "content_policy";
}
