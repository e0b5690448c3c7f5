// The errors of ElevenLabs: `{detail: {status, message}}`, and a list under `detail` for fields that are wrong.
import { type Fields, readFields, type Refusal, Refused } from "../request-fields.ts";

const fieldError = "validation_error";

/** A 422 that names the field. */
export function refuseField(field: string, message: string, where: "body" | "query" = "body"): never {
  throw new Refused({ status: 422, type: fieldError, code: where, param: field, message });
}

export function refuseWith(status: number, code: string, message: string): never {
  throw new Refused({ status, type: "invalid_request_error", code, message });
}

export function readBodyFields(body: Buffer): Fields {
  try {
    return readFields(body);
  } catch {
    return refuseField("", "Input should be a valid JSON object.");
  }
}

/** Null where it is absent or null. */
export function readNumber(fields: Fields, field: string, min: number, max: number): number | null {
  const value = fields[field] ?? null;
  if (value === null) return null;
  if (typeof value !== "number" || !(value >= min && value <= max)) refuseField(field, `Input should be a number from ${min} to ${max}.`);
  return value;
}

/** A text with something in it. */
export function readText(fields: Fields, field: string): string {
  const value = fields[field] ?? null;
  if (value === null) refuseField(field, "Field required");
  if (typeof value !== "string" || value.trim() === "") refuseField(field, "Input should be a text that isn't empty.");
  return value;
}

export function renderRefusal({ type, code, param, message }: Refusal): string {
  if (type === fieldError) {
    const loc = [code ?? "body", ...(param ? [param] : [])];
    return JSON.stringify({ detail: [{ type: message === "Field required" ? "missing" : "value_error", loc, msg: message }] });
  }
  const suggestion = code === "bad_prompt" ? { data: { prompt_suggestion: "A calm piece for piano and strings." } } : {};
  return JSON.stringify({ detail: { status: code ?? type, message, ...suggestion } });
}

/** The status and the word that ElevenLabs has for a fault. */
export function rewordRefusal(refusal: Refusal): Refusal {
  switch (refusal.code) {
    case "content_filter":
    case "content_policy_violation":
      return {
        ...refusal,
        status: 403,
        code: "content_against_policy",
        message: "The text may violate the Terms of Service and was blocked.",
      };
    case "unsupported_value":
      return { ...refusal, status: 422, type: fieldError, code: "body", param: "voice_settings", message: "Input is not valid." };
    case "context_length_exceeded":
      return { ...refusal, code: "max_character_limit_exceeded", message: "The text exceeds the limit of 5000 characters of this model." };
    case "insufficient_quota":
      return { ...refusal, status: 401, code: "quota_exceeded", message: "This request exceeds your quota." };
    case "rate_limit_exceeded":
      return { ...refusal, code: "too_many_concurrent_requests", message: "Too many concurrent requests. Your plan allows 5." };
    case "insufficient_balance":
      return { ...refusal, code: "payment_required" };
    case "unknown_url":
      return { ...refusal, code: "not_found" };
    default:
      return refusal.code === null ? { ...refusal, code: wordsByStatus[refusal.status] ?? "server_error" } : refusal;
  }
}

const wordsByStatus: Record<number, string> = {
  400: "invalid_request",
  422: "invalid_request",
  503: "service_unavailable",
  529: "system_busy",
};

/** Prompts of music and sounds are refused in a way of their own, with a better one. */
export function rewordForPrompts(refusal: Refusal): Refusal {
  const reworded = rewordRefusal(refusal);
  if (reworded.code !== "content_against_policy") return reworded;
  return { ...reworded, status: 400, code: "bad_prompt", message: "Your prompt contained material that may be protected." };
}
