// Which fault an error of MiniMax is: the number in `base_resp` decides, whatever the status (docs/behaviour/providers.md#minimax).
import { hideAddresses, safeReason } from "../errors/error-text.ts";
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError, type UpstreamFault } from "../errors/upstream-error.ts";
import { type Json, objectOf, textOf } from "../json/read.ts";
import type { ReadError } from "../transport/exchange.ts";
import { parseObject } from "../transport/json.ts";
import type { Provider } from "../types.ts";

const faults: Readonly<Record<number, UpstreamFault>> = {
  1000: "unavailable",
  1001: "unavailable", // timeout
  1002: "rate_limited",
  1004: "our_fault", // key
  1008: "our_fault", // balance
  1024: "unavailable",
  1026: "refused", // the input
  1027: "refused", // the output
  1033: "unavailable",
  1039: "rejected", // too many tokens
  1041: "rate_limited", // connections
  1042: "rejected", // invisible characters
  2013: "rejected", // parameters
  2037: "rejected", // the voice sample's length
  2039: "rejected", // the voice's id exists
  2042: "rejected", // another account's voice
  2049: "our_fault", // key
  2056: "our_fault", // the plan's limit
  20132: "rejected", // no such voice
};

const params: Readonly<Record<number, string>> = { 1039: "input", 1042: "input", 2037: "file", 2042: "voice_id", 20132: "voice_id" };

/** The voice's id exists already. */
export const duplicateVoice = 2039;

/** 0 means no error. */
export function errorCodeOf(answer: Json): number {
  const code = objectOf(answer["base_resp"])["status_code"] ?? 0;
  const number = typeof code === "string" && code !== "" ? Number(code) : code;
  return typeof number === "number" && Number.isInteger(number) ? number : -1; // -1 also for a number too long to be parsed as one
}

/** Throws UpstreamError where the answer is an error. */
export function assertNoError(answer: Json, provider: Provider): void {
  const code = errorCodeOf(answer);
  if (code !== 0) throw errorOfCode(code, answer, provider, 200);
}

export const minimaxError: ReadError = ({ status, text, retryAfterMs }, provider) => {
  const answer = objectIn(text);
  const code = errorCodeOf(answer);
  if (code === 0) return errorOfAnswer(status, text, retryAfterMs, provider);
  return errorOfCode(code, answer, provider, status, retryAfterMs);
};

function errorOfCode(code: number, answer: Json, provider: Provider, status: number, retryAfterMs: number | null = null): UpstreamError {
  const message = textOf(objectOf(answer["base_resp"])["status_msg"]);
  const bare = message && hideAddresses(message).replace(/\b(?:minimaxi?|hailuo)\b/gi, "[hidden]");
  const reason = safeReason(bare, provider, `the upstream answered with error ${code}`);
  return new UpstreamError(faults[code] ?? "unreadable", reason, { status, retryAfterMs, param: params[code] ?? null });
}

function objectIn(text: string): Json {
  try {
    return parseObject(text);
  } catch {
    return {};
  }
}
