// GET /v1/errors: every error code as data, made once for the address that the gateway has. Public.
// Leaves what is known of a code to src/error-facts.ts.
import type { components } from "../generated/api.d.ts";
import { allErrorFacts, messageTemplate } from "../src/error-facts.ts";
import type { Handler } from "../src/server/types.ts";

const headers = { "content-type": "application/json", "cache-control": "public, max-age=300" };

let made: { publicUrl: string; bytes: Buffer } | null = null;

export const listErrors: Handler<"listErrors"> = ({ publicUrl }) => {
  if (made?.publicUrl !== publicUrl) made = { publicUrl, bytes: Buffer.from(JSON.stringify(errorList(publicUrl))) };
  return { status: 200, headers, bytes: made.bytes };
};

function errorList(publicUrl: string): components["schemas"]["ErrorList"] {
  return {
    object: "list",
    data: allErrorFacts().map(({ code, row, statuses, operations }) => ({
      code,
      type: row.type,
      statuses: [...statuses],
      retryable: row.retryable,
      retry_after: row.retryAfterSec ?? null,
      message: messageTemplate(row),
      happened: row.happened,
      fix: row.fix,
      operations: operations.map(({ id }) => id),
      in_streams: row.inStream ?? false,
      in_jobs: row.job ?? false,
      reserved: row.reserved ?? false,
      doc_url: `${publicUrl}/docs/errors#${code}`,
    })),
  };
}
