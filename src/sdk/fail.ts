// Turns an error answer into a SvcError, whichever of the gateway's four error shapes it has.
import { parseJson } from "../json/parse.ts";
import { type ErrorFields, SvcError } from "./error.ts";
import { retryAfterOf } from "./retry.ts";

type Words = Record<string, unknown>;

/** Statuses after which a retry can help, if the answer doesn't say. */
const passing = [408, 429, 502, 503, 504];

/** An error about an answer: made from its head and `fields`. */
export function failure({ headers, status: httpStatus }: Response, fields: ErrorFields): SvcError {
  return new SvcError({ headers, httpStatus, requestId: headers.get("x-request-id"), retryAfterMs: retryAfterOf(headers), ...fields });
}

export async function errorOf(response: Response): Promise<SvcError> {
  const body = await response.text();
  let json: unknown = null;
  try {
    json = parseJson(body);
  } catch {
    // a proxy's page
  }
  return errorFrom(json ?? body, response, response.status);
}

/** `status` null: an error inside a stream, or of a job. */
export function errorFrom(body: unknown, response: Response, status: number | null): SvcError {
  const { error, details, request_id } = Object(body) as Words;
  // {error: {…}}, Anthropic's with a request id beside it, rerank's without a code, genmedia's {error: "…", details: {…}}
  const words = Object(typeof error === "string" ? details : error) as Words;
  const code = text(words.code) ?? text(words.type);
  const message = text(error) ?? text(words.message);
  if (code === null || message === null) return unexpected("The answer is not from the gateway.", response, body);
  const { headers } = response;
  const requestId = headers.get("x-request-id") ?? text(words.request_id) ?? text(request_id);
  return failure(response, {
    message: `${status ?? ""} ${code}: ${message} (${requestId ?? "no id"})`.trim(),
    ...{ code, status, body, requestId },
    type: text(words.type) ?? text(words.error_type),
    param: text(words.param),
    docUrl: text(words.doc_url),
    retryable: words.retryable === true || headers.get("x-should-retry") === "true",
  });
}

/** An answer that is not in the contract. */
export function unexpected(message: string, response: Response, body: unknown = null): SvcError {
  return failure(response, { message, code: "unexpected_answer", body, retryable: passing.includes(response.status) });
}

export function parsed(text: string, response: Response): unknown {
  try {
    return parseJson(text);
  } catch {
    throw unexpected("The answer is not JSON.", response, text);
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
