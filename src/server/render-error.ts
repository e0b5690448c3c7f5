// A refusal as data becomes a reply as data: the row of the catalogue, in the words and the envelope of the endpoint's
// dialect. Pure; the only place that knows headers and shape of an error; status, its row and sentence are error-text.ts.
import { dialects, errors } from "../../generated/errors.ts";
import type { Dialect, DialectRow, ErrorCode, ErrorRow } from "../../generated/errors.ts";
import { rowAt, shownError } from "../errors/text.ts";
import type { FailDetails } from "../errors/fail.ts";
import { envelopes } from "./envelopes.ts";
import type { Headers } from "./types.ts";

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
    // Older words have entries of their own; where one has none, the code it stands for explains it.
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
  // The true time helps SDKs, which round Retry-After up to a minute's sleep; it goes with this one code only.
  if (code === "rate_limit_exceeded") headers["retry-after-ms"] = String(Math.ceil(details.windowMs ?? waitMs));
  return headers;
}
