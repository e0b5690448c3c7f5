// Decides which fault an upstream's error is (docs/behaviour/providers.md#faults). Routing decides what follows from it.
import type { Provider } from "../types.ts";
import { type ErrorSigns, readErrorBody, readErrorValue, safeParam, safeReason, safeWord } from "./error-text.ts";
import { UpstreamError, type UpstreamFault } from "./upstream-error.ts";

/** An answer with a status outside 2xx. */
export function errorOfAnswer(status: number, body: string, retryAfterMs: number | null, provider: Provider): UpstreamError {
  const signs = readErrorBody(body);
  const reason = safeReason(signs.message, provider, `the upstream answered ${status}`);
  const fault = faultOf(status, signs);
  const param = safeParam(signs.param, provider);
  return new UpstreamError(fault, reason, { status, retryAfterMs, param, job: jobOf(fault, status, signs, provider) });
}

/** An error under status 200, whole or as a stream's first record: nothing has been served yet, so its content decides. */
export function errorUnder200(error: unknown, provider: Provider): UpstreamError {
  const signs = readErrorValue(error);
  const reason = safeReason(signs.message, provider, "the upstream answered with an error");
  const fault = faultOfContent(signs);
  const status = signs.status ?? 200;
  return new UpstreamError(fault, reason, {
    status,
    param: safeParam(signs.param, provider),
    job: jobOf(fault, status, signs, provider),
    failure: signs.status === null ? { cause: "error_in_answer", detail: reason } : null,
  });
}

function faultOf(status: number, signs: ErrorSigns): UpstreamFault {
  if (status >= 400 && status < 500) {
    const named = faultOfWords(status, signs);
    if (named) return named;
  }
  switch (status) {
    case 400:
    case 413:
    case 422:
      return "rejected";
    case 404:
    case 410:
      return "gone";
    case 429:
      return "rate_limited";
    case 408:
    case 409:
    case 425:
      return "unavailable";
  }
  // Any other 4xx (401, 402, 403, 405, 415 …) is about how we call, not about the caller's request.
  return status >= 400 && status < 500 ? "our_fault" : "unavailable";
}

function faultOfContent(signs: ErrorSigns): UpstreamFault {
  if (signs.status !== null) return faultOf(signs.status, signs);
  const named = faultOfWords(400, signs);
  if (named) return named;
  if (anyOf(signs, requestWords)) return "rejected";
  if (anyOf(signs, serverWords)) return "unavailable";
  return "unreadable";
}

/** A code is more exact than the status it came with. */
function faultOfWords(status: number, signs: ErrorSigns): UpstreamFault | null {
  const message = signs.message ?? "";
  if (anyOf(signs, refusalWords) || refusalText.test(message) || isBareUserError(signs)) return "refused";
  if (anyOf(signs, quotaWords) || quotaText.test(message)) return "our_fault";
  if (anyOf(signs, limitWords)) return "rate_limited"; // Groq: 413 for a burst of tokens
  if (status !== 429 && (anyOf(signs, keyWords) || badKeyText.test(message))) return "our_fault"; // xAI, Gemini: 400
  if (versionText.test(message)) return "our_fault";
  if (anyOf(signs, goneWords)) return "gone";
  return null;
}

/** OpenAI uses this type for moderation and for bad images; the code beside it distinguishes them. */
function isBareUserError({ words }: ErrorSigns): boolean {
  return words.size === 1 && words.has("image_generation_user_error");
}

function anyOf(signs: ErrorSigns, words: ReadonlySet<string>): boolean {
  for (const word of signs.words) if (words.has(word)) return true;
  return false;
}

const refusalWords = new Set([
  "content_filter",
  "content_filtered",
  "content_policy",
  "content_policy_violation",
  "contentpolicyviolation",
  "responsibleaipolicyviolation", // Azure
  "bad_prompt",
  "moderation",
  "moderation_blocked",
  "content_moderation",
  "safety",
  "prohibited_content", // Gemini
  "data_inspection_failed", // Alibaba
  "datainspectionfailed",
]);

const quotaWords = new Set([
  "insufficient_quota",
  "insufficient_balance",
  "insufficient_credits",
  "insufficient_funds",
  "billing_not_active",
  "billing_hard_limit_reached",
  "exceeded_current_quota_error", // Moonshot
  "arrearage", // Alibaba
  "billing_error", // Anthropic
]);

/** Anthropic sends 400 `invalid_request_error`; only the sentence identifies it. xAI refuses by a sentence too. */
const quotaText = /\bcredit balance is too low\b/i;
const refusalText = /\bblocked by (?:our )?content filtering policy\b|\bviolates usage guidelines\b/i;

const limitWords = new Set(["rate_limit_exceeded", "rate_limit_error", "rate_limit", "rate_limited", "too_many_requests"]);

const keyWords = new Set([
  "invalid_api_key",
  "missing_api_key",
  "api_key_invalid", // Gemini
  "authentication_error",
  "invalid_authentication_error",
  "incorrect_api_key_error",
  "unauthenticated",
  "permission_error", // Anthropic
]);

/** xAI and Gemini say it only in the sentence. */
const badKeyText = /\b(?:incorrect|invalid) api key\b|\bapi key not valid\b/i;

/** Azure's 400 about the operator's `api_version`. */
const versionText = /\bapi version not supported\b|\benabled only for api versions\b/i;

const goneWords = new Set([
  "model_not_found",
  "model_decommissioned",
  "model_not_available",
  "deploymentnotfound",
  "operationnotsupported",
  "not_found_error",
]);

const requestWords = new Set([
  "invalid_request_error",
  "context_length_exceeded",
  "badrequesterror",
  "invalid_argument",
  "request_too_large",
]);

const serverWords = new Set([
  "server_error",
  "internal_error",
  "internalservererror",
  "overloaded",
  "overloaded_error",
  "api_error",
  "timeout",
  "timeout_error",
]);

// Job error codes from the codes of the OpenAI family's hosts (docs/behaviour/providers.md#whole-answers); fal's are in fal/errors.ts.

/** `word` is the upstream's code that decided. */
type Job = NonNullable<UpstreamError["job"]> & { word: string };

/** Null where the fault already says as much. */
function jobOf(fault: UpstreamFault, status: number, signs: ErrorSigns, provider: Provider): Job | null {
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
