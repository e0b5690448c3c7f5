// Google's errors: a code, a sentence, a status in capitals, and details. A blocked prompt is no error there but an answer without
// candidates.
import type { Refusal } from "../request-fields.ts";

const statusNames: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const messages: Record<number, string> = {
  401: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
  403: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  404: "models/sim is not found for API version v1beta, or is not supported for generateContent.",
  429: "You exceeded your current quota, please check your plan and billing details.",
  500: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  503: "The model is overloaded. Please try again later.",
};

const keptCodes = new Set(["unknown_directive", "unknown_url", "simulator_fault"]);

export function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code } = refusal;
  if (code !== null && keptCodes.has(code)) return refusal;
  if (code === "content_filter" && status === 400) return { ...refusal, status: 200 };
  if (code === "content_filter" || code === "content_policy_violation") return refusal;
  if (code === "context_length_exceeded")
    return { ...refusal, message: "The input token count (5000) exceeds the maximum number of tokens allowed (4096)." };
  if (code === "unsupported_value") return { ...refusal, message: "The value of temperature is not supported for this model." };
  if (status === 400) return refusal;
  return { ...refusal, message: messages[status] ?? refusal.message };
}

export function renderRefusal({ status, code, message, headers }: Refusal): string {
  if (status === 200 && code === "content_filter") return JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
  const wait = headers?.["retry-after"];
  const refused = code === "content_filter" || code === "content_policy_violation";
  const details = [
    ...(refused
      ? [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SAFETY", domain: "generativelanguage.googleapis.com" }]
      : []),
    ...(wait === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${wait}s` }]),
  ];
  const name = statusNames[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");
  return JSON.stringify({
    error: {
      code: status,
      message,
      status: name,
      ...(refused ? { type: "prohibited_content" } : {}),
      ...(details.length > 0 ? { details } : {}),
    },
  });
}
