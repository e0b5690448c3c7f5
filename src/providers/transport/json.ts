// JSON to upstreams and back. Parses the JSON of an upstream's answer of status 200, whole or one record of a stream; for anything else the
// error says why.
import { parseJson } from "../../json/parse.ts";
import { errorUnderOk } from "../errors/error-text.ts";
import { errorUnder200 } from "../errors/faults.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, type Json } from "../json/read.ts";
import { type JsonText, nestsTooDeep, sentOf } from "../json/splice.ts";
import type { Provider, UpstreamCall } from "../types.ts";
import type { UpstreamRequest } from "./types.ts";

type Parse = (text: string) => unknown;

/** Without the provider's own keys. Throws for text that is not a JSON object, and for an error under status 200. */
export function readAnswer(text: string, provider: Provider, parse: Parse = parseJson): Json {
  const answer = parseObject(withoutKeys(text, provider), parse);
  const error = errorUnderOk(answer);
  if (error !== null) throw errorUnder200(error, provider);
  return answer;
}

/** The data of one server-sent record; an error's may be any text. */
export function readRecordData(data: string, event: string): unknown {
  if (nestsTooDeep(data)) throw unreadable("a record of the stream is nested too deep");
  try {
    return parseJson(data);
  } catch {
    if (event === "error") return data;
    throw unreadable("a record of the stream is not JSON");
  }
}

export function unreadable(reason: string): UpstreamError {
  return new UpstreamError("unreadable", reason, { status: 200 });
}

/** For answers in which `error` may be an ordinary field. Throws for text that is not a JSON object. */
export function parseObject(text: string, parse: Parse = parseJson): Json {
  if (nestsTooDeep(text)) throw unreadable("the answer is nested too deep");
  let value: unknown;
  try {
    value = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw unreadable(text.trim() === "" ? "the answer is empty" : "the answer is not JSON");
  }
  if (!isObject(value)) throw unreadable("the answer is not a JSON object");
  return value;
}

// Builds an upstream request with a JSON body.

/** `path` is below the provider's base URL. */
export function jsonRequest(
  { route, requestId, signal, disconnect, account, heard }: UpstreamCall,
  path: string,
  body: JsonText,
  stream = false,
): UpstreamRequest {
  return {
    provider: route.provider,
    method: "POST",
    path,
    body: sentOf(body),
    contentType: "application/json",
    accept: stream ? "text/event-stream, application/json" : "application/json", // hosts may ignore `stream`
    requestId,
    signal,
    disconnect,
    account,
    heard,
  };
}

/** A request without a body; its address may be one that the provider answered with. */
export function bareRequest({ route, requestId, signal, disconnect }: UpstreamCall, method: "GET" | "PUT", path: string): UpstreamRequest {
  return { provider: route.provider, method, path, body: null, contentType: "", accept: "application/json", requestId, signal, disconnect };
}
