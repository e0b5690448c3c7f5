// Which fault an error of ElevenLabs is: the words in `detail` say more than the status (docs/behaviour/providers.md#elevenlabs).
import { parseJson } from "../../json/parse.ts";
import { hideAddresses, readErrorBody, safeParam, safeReason } from "../errors/error-text.ts";
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError, type UpstreamFault } from "../errors/upstream-error.ts";
import { arrayOf, type Json, objectOf } from "../json/read.ts";
import type { ErrorAnswer, ReadError } from "../transport/exchange.ts";
import type { Provider } from "../types.ts";

const faults: readonly (readonly [UpstreamFault, readonly string[]])[] = [
  ["refused", ["bad_prompt", "bad_composition_plan", "content_policy_violation", "content_against_policy", "moderation_blocked"]],
  [
    "our_fault",
    [
      "quota_exceeded", // 401
      "invalid_api_key",
      "missing_permissions",
      "needs_authorization",
      "detected_unusual_activity",
      "subscription_required",
      "output_format_not_allowed", // depends on the account's plan
      "feature_not_available",
    ],
  ],
  ["rate_limited", ["too_many_concurrent_requests", "concurrent_limit_exceeded", "system_busy", "rate_limit_exceeded"]],
  ["rejected", ["voice_not_found", "voice_does_not_exist", "invalid_voice_id", "max_character_limit_exceeded", "text_too_long"]],
  ["gone", ["model_not_found", "model_does_not_exist"]],
];
const faultOf = new Map(faults.flatMap(([fault, words]) => words.map((word) => [word, fault] as const)));

/** `names` maps the upstream's names of fields to ours. */
export function elevenlabsError(names: Readonly<Record<string, string>>): ReadError {
  return (answer, provider) => {
    const usual = errorOfAnswer(answer.status, answer.text, answer.retryAfterMs, provider);
    const word = wordOf(answer);
    const fault = (word !== null && faultOf.get(word)) || usual.fault;
    const { status, retryAfterMs } = usual;
    const param = safeParam(paramOf(word, answer, names) ?? usual.param, provider);
    return new UpstreamError(fault, reasonOf(answer, provider), { status, retryAfterMs, param });
  };
}

/** The first word with a known meaning; the newer form has a broad `type` beside the exact `code`. */
function wordOf({ text }: ErrorAnswer): string | null {
  return [...readErrorBody(text).words].find((word) => faultOf.has(word)) ?? null;
}

function paramOf(word: string | null, answer: ErrorAnswer, names: Readonly<Record<string, string>>): string | null {
  if (word !== null && /voice/.test(word)) return "voice_id";
  if (word === "max_character_limit_exceeded" || word === "text_too_long") return names["text"] ?? null;
  const { loc } = objectOf(arrayOf(detailOf(answer))[0]);
  const place = arrayOf(loc).filter((name): name is string => typeof name === "string" && name !== "body");
  const [first, ...rest] = place;
  return first === undefined ? null : [Object.hasOwn(names, first) ? names[first] : first, ...rest].join(".");
}

function detailOf({ text }: ErrorAnswer): unknown {
  try {
    return objectOf(parseJson(text) as Json)["detail"];
  } catch {
    return null;
  }
}

/** Drops what would show which vendor wrote it; `param` says where in the request. */
function reasonOf(answer: ErrorAnswer, provider: Provider): string {
  const listed = arrayOf(detailOf(answer)).flatMap((entry) => (typeof objectOf(entry)["msg"] === "string" ? [objectOf(entry)["msg"]] : []));
  const message = listed.join("; ") || readErrorBody(answer.text).message;
  const bare = message && hideAddresses(message).replace(/\beleven\s?labs(?:\.io)?\b/gi, "[hidden]");
  return safeReason(bare, provider, `the upstream answered ${answer.status}`);
}
