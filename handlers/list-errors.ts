// GET /v1/errors: every error code as data, made once with this gateway's own address. Public. src/errors/facts.ts describes the codes.
import type { components } from "../generated/api.d.ts";
import type { ErrorRow } from "../generated/errors.ts";
import { allErrorFacts, messageTemplate } from "../src/errors/facts.ts";
import type { Handler } from "../src/operation.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };

let made: { publicUrl: string; bytes: Buffer } | null = null;

export const listErrors: Handler<"listErrors"> = ({ publicUrl }) => {
  if (made?.publicUrl !== publicUrl) made = { publicUrl, bytes: Buffer.from(JSON.stringify(errorList(publicUrl))) };
  return { status: 200, headers, bytes: made.bytes };
};

function errorList(publicUrl: string): components["schemas"]["ErrorList"] {
  return {
    object: "list",
    data: allErrorFacts().map(({ code, row, statuses, otherwise, operations }) => ({
      code,
      ...textsOf(row),
      statuses: [...statuses],
      retry_after: row.retryAfterSec ?? null,
      by_status: otherwise.map(({ status, row: there }) => ({ status, ...textsOf(there) })),
      operations: operations.map(({ id }) => id),
      in_streams: row.inStream ?? false,
      in_jobs: row.job ?? false,
      reserved: row.reserved ?? false,
      doc_url: `${publicUrl}/docs/errors#${code}`,
    })),
  };
}

function textsOf(row: ErrorRow) {
  return { type: row.type, retryable: row.retryable, message: messageTemplate(row), happened: row.happened, fix: row.fix };
}
