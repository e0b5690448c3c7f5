// The Anthropic protocol: its paths, its framing, the plans of its operations, and errors as Anthropic words and wraps them; what their
// statuses stand for comes from faults.ts. The files beside this one own what a message is.
import { jsonReply, type Plan, planAnswer, planFields, type SimulatorProtocol } from "../protocol.ts";
import type { Refusal } from "../request-fields.ts";
import { answerMessage } from "./answer.ts";
import { messageEvents, messageStop, wholeMessage } from "./message.ts";
import { readMessageRequest } from "./read-request.ts";
import { countPrompt, promptWithResults } from "./usage.ts";

/** The simulator has no clock and no chance: every answer carries the same request id. */
const requestId = "req_simulator";

export const anthropic: SimulatorProtocol = {
  name: "anthropic",
  prefixes: ["/anthropic/v1"],
  headers: { "request-id": requestId },
  readVariant: ({ "anthropic-version": version }) => (typeof version === "string" ? version : ""),
  findOperation(method, path) {
    if (method === "POST" && path === "/messages") return planMessage;
    if (method === "POST" && path === "/messages/count_tokens") return planCount;
    if (method === "GET" && path === "/models") return planModels;
    if (method === "GET" && path.startsWith("/models/")) return () => planModel(decodeURIComponent(path.slice("/models/".length)));
    return null;
  },
  rewordRefusal,
  renderRefusal: renderError,
  eventName,
  errorEndsStream: true,
};

// GET /models: what the simulator names itself here. Any other id works as well, so one model is found under every id.

const ids = ["sim-chat", "sim-vision", "sim-reason"];

function planModels(): Plan {
  return planFields({ data: ids.map(modelRow), has_more: false, first_id: ids[0], last_id: ids.at(-1) });
}

function planModel(id: string): Plan {
  return planFields(modelRow(id));
}

function modelRow(id: string): Record<string, unknown> {
  return { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" };
}

// POST /messages and /messages/count_tokens: from a request's bytes to a plan.

export function planMessage(body: Buffer, version: string): Plan {
  const request = readMessageRequest(body, version, "answer");
  const { model, directives, stream } = request;
  const promptTokens = promptWithResults(request, countPrompt(request));
  const answer = answerMessage(request);
  return planAnswer({
    model,
    directives,
    stream,
    tokens: answer.tokens,
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeMessage(request, promptTokens, answer)),
    records: () => messageEvents(request, promptTokens, answer),
    terminator: messageStop,
    inputTokens: promptTokens,
    searches: request.searches,
    hiddenTokens: request.hidesThinking ? answer.thinkingTokens : 0,
    tokensIn: (record) => (/"type":"(?:text|thinking|input_json)_delta"/.test(record) ? 1 : 0),
  });
}

function planCount(body: Buffer, version: string): Plan {
  const request = readMessageRequest(body, version, "count");
  const { model, directives } = request;
  const reply = jsonReply(200, JSON.stringify({ input_tokens: directives.promptTokens ?? countPrompt(request) }));
  return { model, directives, reply, bytes: reply.body.length };
}

const typeByStatus: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  410: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

const messageByStatus: Record<number, string> = {
  401: "invalid x-api-key",
  402: "There is an issue with your billing or payment information.",
  403: "Your API key does not have permission to use the specified resource.",
  404: "The requested resource could not be found.",
  413: "Request exceeds the maximum size",
  429: "This request would exceed your organization's rate limit. Please try again later.",
  500: "Internal server error",
  529: "Overloaded",
};

/** What the simulator alone has to say, and the one code that clients act on. */
const keptCodes = new Set(["unknown_directive", "unknown_url", "simulator_fault", "thread_unsupported_request"]);

/** A real host's wording. It has no codes, except for a content refusal, which has to differ from a wrong request. */
export function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code } = refusal;
  if (code !== null && keptCodes.has(code)) return refusal;
  if (code === "content_filter" || code === "content_policy_violation")
    return { ...refusal, message: "Output blocked by content filtering policy" };
  if (code === "context_length_exceeded") return { ...refusal, code: null, message: "prompt is too long: 5000 tokens > 4096 maximum" };
  if (code === "unsupported_value") return { ...refusal, code: null, message: "temperature: this value is not supported for this model." };
  // A used-up account is a plain 400 here; only its wording shows what it is.
  if (code === "insufficient_quota") {
    const message =
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.";
    return { ...refusal, status: 400, code: null, message };
  }
  return { ...refusal, code: null, message: status === 400 ? refusal.message : (messageByStatus[status] ?? refusal.message) };
}

export function renderError({ status, code, message }: Refusal): string {
  const type = typeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  const coded = code === null ? {} : { code, details: { error_code: code } };
  return JSON.stringify({ type: "error", error: { type, message, ...coded }, request_id: requestId });
}

/** Every record of this protocol opens with its `type`, which is the event's name too. */
export function eventName(data: string): string {
  return data.slice('{"type":"'.length, data.indexOf('"', '{"type":"'.length));
}
