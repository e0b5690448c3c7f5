// What Google's errors mean: their codes stand in `status` and in `details[].reason`, and how long to wait in a RetryInfo.
import { parseJson } from "../../json/parse.ts";
import { errorOfAnswer } from "../errors/faults.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ReadError } from "../transport/exchange.ts";

/** Longer waits are capped, because callers see them. */
const longestMs = 3_600_000;

/** Reasons that blame the gateway's key, project or place, with a 400. */
const ourReasons = new Set([
  "API_KEY_INVALID",
  "API_KEY_EXPIRED",
  "API_KEY_SERVICE_BLOCKED",
  "SERVICE_DISABLED",
  "BILLING_DISABLED",
  "CONSUMER_INVALID",
]);

export const readGoogleError: ReadError = ({ status, text, retryAfterMs }, provider) => {
  const error = errorIn(text);
  const details = arrayOf(error["details"]).filter(isObject);
  const wait = retryAfterMs ?? details.map(({ retryDelay }) => delayMs(retryDelay)).find((ms) => ms !== null) ?? null;
  const read = errorOfAnswer(status, text, wait, provider);
  // A FAILED_PRECONDITION is about the project: its country, its billing.
  const ours = error["status"] === "FAILED_PRECONDITION" || details.some(({ reason }) => ourReasons.has(String(reason)));
  if (read.fault !== "rejected" || !ours) return read;
  return new UpstreamError("our_fault", read.reason, { status, retryAfterMs: wait });
};

/** Errors of a stream come as an array of one. */
function errorIn(text: string): Json {
  try {
    const body: unknown = parseJson(text);
    return objectOf(objectOf(Array.isArray(body) ? body[0] : body)["error"]);
  } catch {
    return {};
  }
}

/** `34.5s` */
function delayMs(delay: unknown): number | null {
  const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(delay) ?? "")?.[1];
  return seconds === undefined ? null : Math.min(Math.ceil(Number(seconds) * 1_000), longestMs);
}
