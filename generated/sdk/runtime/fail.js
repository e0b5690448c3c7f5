// What an answer that is no success becomes: the gateway's four shapes of errors read into one.
import { SvcError } from "./error.js";
import { retryAfterOf } from "./retry.js";
/** Statuses after which another try can help, where whoever answered doesn't say. */
const passing = [408, 429, 502, 503, 504];
export async function errorOf(response) {
    const text = await response.text();
    let body = text;
    try {
        body = JSON.parse(text);
    }
    catch {
        // a proxy's page
    }
    return errorFrom(body, response, response.status);
}
/** `status` null: an error inside a stream. */
export function errorFrom(body, response, status) {
    const { headers, status: httpStatus } = response;
    const { error, details, request_id } = Object(body);
    // {error: {…}}, Anthropic's with a request id beside it, rerank's without a code, genmedia's {error: "…", details: {…}}
    const words = Object(typeof error === "string" ? details : error);
    const code = text(words.code) ?? text(words.type);
    const message = text(error) ?? text(words.message);
    const requestId = headers.get("x-request-id") ?? text(words.request_id) ?? text(request_id);
    const retryAfterMs = retryAfterOf(headers);
    if (code === null || message === null)
        return unexpected(`${httpStatus}: something else than the gateway answered.`, response, body);
    const said = headers.get("x-should-retry");
    return new SvcError({
        message: `${status === null ? "" : `${status} `}${code}: ${message}${requestId === null ? "" : ` (${requestId})`}`,
        ...{ code, status, httpStatus, headers, body, requestId, retryAfterMs },
        type: text(words.type) ?? text(words.error_type),
        param: text(words.param),
        docUrl: text(words.doc_url),
        retryable: typeof words.retryable === "boolean" ? words.retryable : said === "true",
    });
}
/** An answer that the contract doesn't know. */
export function unexpected(message, { headers, status: httpStatus }, body = null) {
    return new SvcError({
        ...{ message, code: "unexpected_answer", httpStatus, headers, body },
        ...{ requestId: headers.get("x-request-id"), retryAfterMs: retryAfterOf(headers), retryable: passing.includes(httpStatus) },
    });
}
export function parsed(text, response) {
    try {
        return JSON.parse(text);
    }
    catch {
        throw unexpected("What was answered is not JSON.", response, text);
    }
}
function text(value) {
    return typeof value === "string" ? value : null;
}
