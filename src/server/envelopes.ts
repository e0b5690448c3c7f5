// The four shapes that an error's body takes; which endpoint has which is said by its dialect. Pure.
import type { DialectRow } from "../../generated/errors.ts";

interface ErrorFacts {
  status: number;
  message: string;
  type: string;
  code: string;
  param: string | null;
  /** Absent on the codes that don't say (the bare rows). */
  retryable: boolean | undefined;
  requestId: string;
  docUrl: string;
  inside: Record<string, unknown>;
  extra: Record<string, unknown>;
}

type Envelope = (facts: ErrorFacts) => Record<string, unknown>;

export const envelopes: Record<DialectRow["envelope"], Envelope> = {
  standard: (facts) => ({ error: fullError(facts), ...facts.extra }),

  /** Anthropic's clients read the outer type and request_id, and newer ones `details.error_code`; the rest of ours stands beside theirs. */
  anthropic: (facts) => ({
    type: "error",
    error: { ...fullError(facts), type: anthropicType(facts), details: { error_code: facts.code } },
    request_id: facts.requestId,
    ...facts.extra,
  }),

  /** Rerank: its types are the codes; on a 402 the code stands there too (WIRE.md 16); nothing else stands inside. */
  bare: (facts) => ({
    error: {
      message: facts.message,
      type: facts.code,
      ...(facts.status === 402 && { code: facts.code }),
      request_id: facts.requestId,
    },
    ...facts.extra,
  }),

  /** What a refusal for money says in `details` stands beside the envelope's own. */
  genmedia: ({ extra: { details, ...extra }, ...facts }) => ({
    error: facts.message,
    details: { ...(details as object), error_type: facts.type, code: facts.code, request_id: facts.requestId, ...facts.inside },
    ...extra,
  }),
};

function fullError(facts: ErrorFacts) {
  return {
    message: facts.message,
    type: facts.type,
    code: facts.code,
    param: facts.param,
    ...(facts.retryable !== undefined && { retryable: facts.retryable }),
    request_id: facts.requestId,
    doc_url: facts.docUrl,
    ...facts.inside,
  };
}

/** Anthropic has no upstream_error: its clients wait on "overloaded" and retry on "api_error". */
function anthropicType({ type, status }: ErrorFacts): string {
  if (type !== "upstream_error") return type;
  return status === 503 ? "overloaded_error" : "api_error";
}
