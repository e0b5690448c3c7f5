// Turns a refusal into a reply: the row of the catalogue, in the codes and the envelope of the endpoint's dialect. Pure; the only place
// that knows the headers and shape of an error. src/errors/text.ts knows its status and sentence.
import { type Dialect, type DialectRow, dialects, type ErrorCode, type ErrorRow, errors } from "../../generated/errors.ts";
import type { FailDetails } from "../errors/fail.ts";
import { rowAt, shownError } from "../errors/text.ts";
import type { Headers } from "../operation.ts";

interface RenderedError {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export interface ErrorPlace {
  dialect: Dialect;
  requestId: string;
  publicUrl: string;
}

export function renderError(code: ErrorCode, details: FailDetails, place: ErrorPlace): RenderedError {
  const dialect: DialectRow = dialects[place.dialect];
  const { status, message } = shownError({ code, details }, place.dialect);
  const row = rowAt(code, status);
  const shownCode = dialect.codes[code] ?? code;
  const facts = {
    status,
    message,
    type: dialect.types[row.type] ?? row.type,
    code: shownCode,
    param: details.param ?? null,
    retryable: row.bare ? undefined : row.retryable,
    requestId: place.requestId,
    // Older codes have entries of their own; a code without one is explained by the code it stands for.
    docUrl: `${place.publicUrl}/docs/errors#${shownCode in errors ? shownCode : code}`,
    inside: details.inside ?? {},
    extra: details.extra ?? {},
  };
  return { status, headers: { ...retryHeaders(code, row, details), ...details.headers }, body: envelopes[dialect.envelope](facts) };
}

function retryHeaders(code: ErrorCode, row: ErrorRow, details: FailDetails): Headers {
  const headers: Headers = {};
  if (!row.bare) headers["x-should-retry"] = String(row.retryable);
  const waitMs = details.retryAfterMs ?? (row.retryAfterSec === undefined ? undefined : row.retryAfterSec * 1000);
  if (waitMs === undefined) return headers;
  headers["retry-after"] = String(Math.ceil(waitMs / 1000));
  // The true time helps SDKs, which round Retry-After up to a minute's sleep; it is sent with this one code only.
  if (code === "rate_limit_exceeded") headers["retry-after-ms"] = String(Math.ceil(details.windowMs ?? waitMs));
  return headers;
}

// The four shapes of an error's body; the endpoint's dialect says which. Pure.

interface ErrorFacts {
  status: number;
  message: string;
  type: string;
  code: string;
  param: string | null;
  /** Absent on codes that don't define it (the bare rows). */
  retryable: boolean | undefined;
  requestId: string;
  docUrl: string;
  inside: Record<string, unknown>;
  extra: Record<string, unknown>;
}

type Envelope = (facts: ErrorFacts) => Record<string, unknown>;

const envelopes: Record<DialectRow["envelope"], Envelope> = {
  standard: (facts) => ({ error: fullError(facts), ...facts.extra }),

  /**
   * Anthropic's clients read the outer type and request_id, and newer ones `details.error_code`; our other fields are added beside theirs.
   */
  anthropic: (facts) => ({
    type: "error",
    error: { ...fullError(facts), type: anthropicType(facts), details: { error_code: facts.code } },
    request_id: facts.requestId,
    ...facts.extra,
  }),

  /** Rerank: its types are the codes; a 402 has the code too; nothing else is inside (docs/behaviour/errors.md#envelopes). */
  bare: (facts) => ({
    error: {
      message: facts.message,
      type: facts.code,
      ...(facts.status === 402 && { code: facts.code }),
      request_id: facts.requestId,
    },
    ...facts.extra,
  }),

  /** `details` of a refusal for money are beside the envelope's own. */
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
