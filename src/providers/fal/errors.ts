// Which fault an error of a fal queue is. It depends on the request: submit, status or result (docs/behaviour/providers.md#fal). There is
// no failed status: failed work is complete, and its result is the error.
import { hideAddresses, readErrorBody, readErrorValue, safeParam, safeReason, safeWord } from "../errors/error-text.ts";
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError, type UpstreamFault } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ErrorAnswer, ReadError } from "../transport/exchange.ts";
import { parseObject } from "../transport/json.ts";
import type { Provider } from "../types.ts";

/** Of a submit: no work has begun, so another route may do it. */
export const submitError: ReadError = (answer, provider) => {
  const { status, headers } = answer;
  const usual = errorOfAnswer(status, answer.text, answer.retryAfterMs, provider);
  const details = detailsOf(answer);
  const code = status === 429 ? "provider_rate_limited" : details && jobCodeOf(details);
  if (code === null) return withReason(usual, answer, provider);
  if (isOurs(status) && !code.startsWith("content_policy")) return usual;
  const fault = submitFault(code);
  const again = fault === "rejected" && headers["x-fal-retryable"] === "true";
  return jobError(again ? "unavailable" : fault, code, details?.word ?? "rate_limited", answer, provider);
};

/** Of a status or cancel request: says nothing about the work. */
export const lookError: ReadError = (answer, provider) => {
  const usual = errorOfAnswer(answer.status, answer.text, answer.retryAfterMs, provider);
  return usual.fault === "rejected" || usual.fault === "refused" ? withFault("unavailable", usual) : usual;
};

/** Of a result request: the work's own error where it is in fal's words, else an error of the request. */
export const resultError: ReadError = (answer, provider) => {
  const { status, headers } = answer;
  const details = detailsOf(answer);
  const code = status === 429 ? "provider_rate_limited" : details && jobCodeOf(details);
  if (status === 429 && !(details && (details.located || isConcurrency(details.word)))) return lookError(answer, provider);
  if (code !== null && !(isOurs(status) && !code.startsWith("content_policy")))
    return jobError(workFault(code), code, details!.word, answer, provider);
  const usual = withReason(errorOfAnswer(status, answer.text, answer.retryAfterMs, provider), answer, provider);
  if (usual.fault === "rejected" || usual.fault === "refused") return usual;
  // A proxy before the queue answers 502 to 504 too: only fal's own words make it the work's error.
  const final = headers["x-fal-retryable"] === "false" || (status === 500 && isFals(answer.text)) || details !== null || status === 499;
  if (!final || isOurs(status) || usual.fault === "gone") return usual;
  return jobError("failed", "provider_error", details?.word ?? "internal_server_error", answer, provider);
};

/** Newer queues report the failure in the status answer. Null: this status reports none. */
export function errorInStatus(body: Json, provider: Provider): UpstreamError | null {
  const error = body["error"] ?? null;
  const type = textOf(body["error_type"]);
  if (type === null && (error === null || error === "" || error === false)) return null;
  const word = type ?? "internal_server_error";
  const inner = isObject(error) ? error : { detail: error };
  const entries = arrayOf(inner["detail"]).map(objectOf);
  const details = detailsOfEntries(entries) ?? { word, located: false, place: [], text: JSON.stringify(error) };
  const code = jobCodeOf(details) ?? "provider_error";
  const reason = reasonOf(readErrorValue(inner).message, entries, provider, "the work failed");
  return new UpstreamError(workFault(code), reason, { job: { code, word: safeWord(details.word, provider) } });
}

/** About our account or how we call, never about the caller's request. */
function isOurs(status: number): boolean {
  return status === 401 || status === 402 || status === 403;
}

function submitFault(code: JobCode): UpstreamFault {
  if (code === "provider_rate_limited") return "rate_limited";
  const fault = workFault(code);
  return fault === "failed" ? "unavailable" : fault;
}

function workFault(code: JobCode): UpstreamFault {
  if (code.startsWith("content_policy")) return "refused";
  return code === "input_too_large" || code === "input_invalid" || code === "prompt_too_long" ? "rejected" : "failed";
}

function detailsOf({ headers, text }: ErrorAnswer): ErrorDetails | null {
  const body = objectIn(text);
  const listed = detailsOfEntries(arrayOf(body["detail"]).map(objectOf));
  if (listed !== null) return listed;
  const word = textOf(body["error_type"]) ?? textOf(headers["x-fal-error-type"]);
  return word === null ? null : { word, located: false, place: [], text };
}

function detailsOfEntries(entries: Json[]): ErrorDetails | null {
  const entry = entries.find(({ type }) => textOf(type) !== null);
  if (entry === undefined) return null;
  // Without the input that it repeats: words of a prompt are no hints.
  const text = entries.map(({ msg, ctx }) => JSON.stringify([msg, ctx])).join(" ");
  return { word: entry["type"] as string, located: "loc" in entry, place: placeOf(entry), text };
}

function placeOf({ loc }: Json): string[] {
  return arrayOf(loc).filter((name): name is string => typeof name === "string" && name !== "body");
}

function objectIn(text: string): Json {
  try {
    return parseObject(text);
  } catch {
    return {};
  }
}

function isFals(text: string): boolean {
  const { detail, message } = objectIn(text);
  return detail !== undefined || message !== undefined;
}

function jobError(fault: UpstreamFault, code: JobCode, word: string, answer: ErrorAnswer, provider: Provider): UpstreamError {
  const { status, retryAfterMs } = answer;
  const usual = withReason(errorOfAnswer(status, answer.text, retryAfterMs, provider), answer, provider);
  const { reason, param } = usual;
  return new UpstreamError(fault, reason, { status, retryAfterMs, param, job: { code, word: safeWord(word, provider) } });
}

function withReason(usual: UpstreamError, answer: ErrorAnswer, provider: Provider): UpstreamError {
  const { status, text, retryAfterMs } = answer;
  const entries = arrayOf(objectIn(text)["detail"]).map(objectOf);
  const reason = reasonOf(readErrorBody(text).message, entries, provider, `the upstream answered ${status}`);
  const param = safeParam(placeOf(entries[0] ?? {}).at(-1) ?? usual.param, provider);
  const word = detailsOf(answer)?.word;
  const named =
    usual.fault === "rejected" && word !== undefined ? { code: "invalid_input" as const, word: safeWord(word, provider) } : null;
  return new UpstreamError(usual.fault, reason, { status, retryAfterMs, param, job: usual.job ?? named });
}

/** The sentences without paths in fal's input and without addresses. */
function reasonOf(message: string | null, entries: Json[], provider: Provider, otherwise: string): string {
  const listed = entries.flatMap(({ msg }) => textOf(msg) ?? []).join("; ");
  const sentence = listed || message;
  return safeReason(sentence && hideAddresses(sentence), provider, otherwise);
}

function withFault(fault: UpstreamFault, { reason, status, retryAfterMs, param }: UpstreamError): UpstreamError {
  return new UpstreamError(fault, reason, { status, retryAfterMs, param });
}

// fal's error types and the job codes they become (docs/behaviour/providers.md#fal).

type JobCode = NonNullable<UpstreamError["job"]>["code"];

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

interface ErrorDetails {
  /** The type that the answer names. */
  word: string;
  /** Whether the type came with a place in the input. */
  located: boolean;
  /** That place. */
  place: string[];
  /** Everything that the answer says, for hints in its words. */
  text: string;
}

/** Null where the type says no more than the status. */
function jobCodeOf({ word, located, place, text }: ErrorDetails): JobCode | null {
  if (tooLong.has(word)) return place.some((name) => /prompt/i.test(name)) ? "prompt_too_long" : "input_invalid";
  const code = codes.get(word);
  if (code === "content_policy") return policyOf(text);
  if (code !== undefined) return code;
  if (word.startsWith("runner_")) return "provider_unavailable"; // runner_scheduling_failure, runner_connection_refused …
  if (isConcurrency(word)) return "provider_rate_limited";
  return located ? "input_invalid" : null; // greater_than, one_of, missing and pydantic's many other types
}

/** The model's own concurrency limit: unlike a rate limit of the queue it says nothing about our calls. */
function isConcurrency(word: string): boolean {
  return /concurren/.test(word);
}

function policyOf(text: string): JobCode {
  if (/\b(?:nsfw|nud(?:e|ity)|sexual(?:ly|ity)?|porn\w*|explicit)\b|\bnot safe for work\b/i.test(text)) return "content_policy_nsfw";
  if (/\blikeness(?:es)?\b|\breal (?:people|persons?)\b|\bpublic figures?\b|\bcelebrit(?:y|ies)\b/i.test(text))
    return "content_policy_likeness";
  if (/\b(?:unsafe|dangerous|violen(?:t|ce)|weapons?|self-harm|terror\w*)\b/i.test(text)) return "content_policy_unsafe";
  return "content_policy";
}
