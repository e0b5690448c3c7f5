// The errors of MiniMax: HTTP 200 and a number in `base_resp`. A status that a directive names by its number stays that status.
import type { Directives } from "../directive-list.ts";
import { jsonReply, type Plan } from "../protocol.ts";
import { type Fields, readFields, type Refusal, Refused } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";

export const codes = {
  unknown: 1000,
  timeout: 1001,
  rate: 1002,
  key: 1004,
  balance: 1008,
  internal: 1033,
  sensitive: 1026,
  tokens: 1039,
  parameters: 2013,
  sampleLength: 2037,
  duplicateVoice: 2039,
  voice: 20_132,
} as const;

const byStatus: Record<number, number> = {
  400: codes.parameters,
  401: codes.key,
  403: codes.key,
  408: codes.timeout,
  422: codes.parameters,
  429: codes.rate,
  503: codes.internal,
  504: codes.timeout,
};

export const succeeded = { base_resp: { status_code: 0, status_msg: "success" } };

export function refuseWith(code: number, message: string): never {
  throw new Refused({ status: 200, type: "base_resp", code: String(code), message });
}

export function refuseParameter(message: string): never {
  return refuseWith(codes.parameters, `invalid params, ${message}`);
}

export function readBodyFields(body: Buffer): Fields {
  try {
    return readFields(body);
  } catch {
    return refuseParameter("the body is no JSON object");
  }
}

/** A text of some characters. */
export function readText(fields: Fields, field: string, max: number): string {
  const value = fields[field] ?? null;
  if (typeof value !== "string" || value.trim() === "") refuseParameter(`${field} is required`);
  if ([...value].length > max) refuseParameter(`${field} has more than ${max} characters`);
  return value;
}

export function planJson({ model, directives }: { model: string | null; directives: Directives }, fields: Fields): Plan {
  return { model, directives, reply: jsonReply(200, JSON.stringify({ ...fields, ...succeeded })), bytes: 0 };
}

export function traceOf(seed: string): Fields {
  return { trace_id: madeUpId("", `trace ${seed}`) };
}

export function renderRefusal({ status, code, message }: Refusal): string {
  const number = /^\d+$/.test(code ?? "") ? Number(code) : (byStatus[status] ?? codes.unknown);
  return JSON.stringify({ base_resp: { status_code: number, status_msg: message } });
}

export function rewordRefusal(refusal: Refusal): Refusal {
  const under200 = (code: number, message: string): Refusal => ({ ...refusal, status: 200, code: String(code), message });
  switch (refusal.code) {
    case "content_filter":
    case "content_policy_violation":
      return under200(codes.sensitive, "input new_sensitive");
    case "unsupported_value":
      return under200(codes.parameters, "invalid params, audio_setting");
    case "context_length_exceeded":
      return under200(codes.tokens, "token limit");
    case "insufficient_quota":
      return under200(codes.balance, "insufficient balance");
    default:
      return refusal;
  }
}
