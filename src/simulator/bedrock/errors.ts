// Errors as Amazon's hosts have them: the name in a header, a sentence in the body.
import type { Refusal } from "../request-fields.ts";

const nameByStatus: Record<number, string> = {
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

const messageByStatus: Record<number, string> = {
  403: "You don't have access to the model with the specified model ID.",
  404: "Could not resolve the foundation model from the provided model identifier.",
  429: "Too many requests, please wait before trying again.",
  500: "The system encountered an unexpected error during processing. Try your request again.",
  503: "Bedrock is unable to process your request.",
};

/** What the simulator alone has to say. */
const keptCodes = new Set(["unknown_directive", "unknown_url", "simulator_fault"]);

export function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code, headers } = refusal;
  const as = (name: string, message: string, at = status): Refusal => ({
    ...refusal,
    ...{ status: at, code: name, message },
    headers: { ...headers, "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  });
  if (code !== null && /^[A-Z]\w+(?:Exception|Id)$/.test(code)) return as(code, refusal.message);
  if (code !== null && keptCodes.has(code)) return as("ValidationException", refusal.message);
  if (code === "content_filter" || code === "content_policy_violation")
    return as("ValidationException", "Output blocked by content filtering policy");
  if (code === "context_length_exceeded") return as("ValidationException", "Input is too long for requested model.");
  if (code === "insufficient_quota")
    return as("ServiceQuotaExceededException", "Your request exceeds the service quota for your account.", 400);
  if (status === 400) return as("ValidationException", refusal.message);
  const name = nameByStatus[status] ?? (status < 500 ? "ValidationException" : "InternalServerException");
  return as(name, messageByStatus[status] ?? refusal.message);
}

export function renderRefusal({ message }: Refusal): string {
  return JSON.stringify({ message });
}
