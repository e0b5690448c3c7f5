// The JSON object that an upstream's answer of status 200 must be; anything else says why it is no answer.
import { errorUnderOk } from "./error-text.ts";
import { errorUnder200 } from "./errors.ts";
import { nestsTooDeep } from "./json-scan.ts";
import { isObject, type Json } from "./json.ts";
import { type Provider, UpstreamError } from "./types.ts";

/** Throws for text that is no JSON object, and for an error under status 200. */
export function readAnswer(text: string, provider: Provider): Json {
  const answer = parseObject(text);
  const error = errorUnderOk(answer);
  if (error !== null) throw errorUnder200(error, provider);
  return answer;
}

export function unreadable(reason: string): UpstreamError {
  return new UpstreamError("unreadable", reason, { status: 200 });
}

function parseObject(text: string): Json {
  if (nestsTooDeep(text)) throw unreadable("the answer is nested too deep");
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw unreadable(text.trim() === "" ? "the answer is empty" : "the answer is not JSON");
  }
  if (!isObject(value)) throw unreadable("the answer is not a JSON object");
  return value;
}
