// Errors of Anthropic's API in the shapes that are published, and the fault that each is.
import { type MessageRow, recorded, tokens } from "./corpus-row.ts";
import { answer, start, textBlock } from "./message-fixture.ts";

const errors = "https://platform.claude.com/docs/en/api/errors";
const error = (status: number, type: string, message: string) => ({
  status,
  answer: { type: "error", error: { type, message }, request_id: "req_011CSHoEeqs5C35K2UUqR7Fy" },
});
const event = (type: string, message: string) => ({ type: "error", error: { type, message } });

export const faults: MessageRow[] = [
  {
    name: "a wrong field",
    source: errors,
    ...error(400, "invalid_request_error", "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens"),
    fault: "rejected",
    reason: "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens",
  },
  {
    name: "an effort that the model doesn't have",
    source: recorded("test_anthropic_explicit_effort_xhigh_unsupported_model_errors"),
    ...error(400, "invalid_request_error", "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."),
    fault: "rejected",
    reason: "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  },
  {
    name: "credit that has run out",
    source: "https://github.com/anthropics/claude-code/issues/66314",
    ...error(
      400,
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.",
    ),
    fault: "our_fault",
  },
  {
    name: "an output that a filter stopped",
    source: "https://github.com/anthropics/claude-code/issues/13986",
    ...error(400, "invalid_request_error", "Output blocked by content filtering policy"),
    fault: "refused",
  },
  {
    name: "a wrong key",
    source: errors,
    ...error(401, "authentication_error", "invalid x-api-key"),
    fault: "our_fault",
  },
  {
    name: "a bill that is not paid",
    source: errors,
    ...error(402, "billing_error", "There's an issue with your billing or payment information."),
    fault: "our_fault",
  },
  {
    name: "a key without the right",
    source: errors,
    ...error(403, "permission_error", "Your API key does not have permission to use the specified resource."),
    fault: "our_fault",
  },
  {
    name: "an unknown model",
    source: "pydantic-ai: test_model_name_suggestions/test_model_name_suggestion[anthropic].yaml",
    ...error(404, "not_found_error", "model: claude-sonet-4-5"),
    fault: "gone",
  },
  {
    name: "a request that is too large",
    source: errors,
    ...error(413, "request_too_large", "Request exceeds the maximum allowed number of bytes."),
    fault: "rejected",
  },
  {
    name: "too many tokens a minute, with how long to wait",
    source: "https://platform.claude.com/docs/en/api/rate-limits#response-headers",
    headers: { "retry-after": "12", "anthropic-ratelimit-requests-remaining": "0" },
    ...error(429, "rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input tokens per minute."),
    fault: "rate_limited",
    retryAfterMs: 12_000,
  },
  { name: "an internal error", source: errors, ...error(500, "api_error", "Internal server error"), fault: "unavailable" },
  {
    name: "a request that took too long",
    source: errors,
    ...error(504, "timeout_error", "The request timed out while processing."),
    fault: "unavailable",
  },
  { name: "an overload", source: errors, ...error(529, "overloaded_error", "Overloaded"), fault: "unavailable" },
  {
    name: "a stream that begins with an overload",
    source: "https://platform.claude.com/docs/en/build-with-claude/streaming#error-events",
    events: [event("overloaded_error", "Overloaded")],
    fault: "unavailable",
  },
  {
    name: "a stream that an overload breaks off",
    source: "https://platform.claude.com/docs/en/build-with-claude/streaming#error-events",
    events: [start(), ...textBlock(0, "The sea").slice(0, 2), event("overloaded_error", "Overloaded")],
    told: { content: "The sea", finish: "" },
    fault: "unavailable",
  },
  {
    name: "an answer of steps that the caller did not ask for",
    source: recorded("test_anthropic_code_execution_tool"),
    answer: answer([{ type: "server_tool_use", id: "srvtoolu_01", name: "bash_code_execution", input: {} }], tokens(9, 4)),
    fault: "unreadable",
  },
];
