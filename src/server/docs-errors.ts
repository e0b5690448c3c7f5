// /docs/errors: one entry per error code, the target of every error's doc_url. Made from the generated catalogue once, at
// the start; everything in it is escaped, and the page runs no script.
import { dialects, errors } from "../../generated/errors.ts";
import type { ErrorCode, ErrorRow } from "../../generated/errors.ts";
import { operations } from "../../generated/operations.ts";
import type { Operation } from "../../generated/operations.ts";
import { escapeHtml, page } from "./page-html.ts";

export function errorsPage(): string {
  const codes = Object.keys(errors) as ErrorCode[];
  const index = codes.map((code) => `<li><a href="#${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a></li>`).join("");
  const entries = codes.map((code) => entry(code, errors[code])).join("\n");
  return page("Error codes", `<p>Branch on <code>error.code</code>; codes are never renamed.</p><ul>${index}</ul>\n${entries}`);
}

export function docsIndexPage(): string {
  const links = `<ul><li><a href="/docs/credits">Credit</a></li><li><a href="/docs/errors">Error codes</a></li><li><a href="/openapi.json">OpenAPI document</a></li></ul>`;
  const rows = Object.values(operations).map(({ method, path }) => `<li><code>${method.toUpperCase()} ${escapeHtml(path)}</code></li>`);
  return page("Documentation", `${links}<h2>Endpoints</h2><ul>${rows.join("")}</ul>`);
}

/** Styles stand in the page itself; nothing else may load or run. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "public, max-age=300",
};

function entry(code: ErrorCode, row: ErrorRow): string {
  const facts: [string, string][] = [
    ["What happened", escapeHtml(row.happened)],
    ["How to fix it", escapeHtml(row.fix)],
    ["HTTP status", statusText(code, row)],
    ["Type", `<code>${escapeHtml(row.type)}</code>`],
    ["Retry", row.retryable ? "yes, after the time in <code>Retry-After</code> if there is one" : "no, not unchanged"],
    ["Endpoints", whereFrom(code, row)],
  ];
  const list = facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("");
  return `<section id="${escapeHtml(code)}"><h2><code>${escapeHtml(code)}</code></h2><dl>${list}</dl></section>`;
}

/** A job's code is no status where the job is read; where its run is waited for, the dialect says which. */
function statusText(code: ErrorCode, row: ErrorRow): string {
  const ofDialects = Object.values(operations).flatMap(({ errors: codes, dialect }) =>
    codes.includes(code) ? (dialects[dialect].statuses[code] ?? []) : [],
  );
  const own = row.jobOnly ? [] : (row.statuses ?? [row.status]);
  const statuses = [...new Set([...own, ...ofDialects])].sort().join(", ");
  const ofJob = "200 where a failed job is read, whose <code>error.code</code> it is";
  return row.job ? `${statuses}${statuses === "" ? "" : "; "}${ofJob}` : statuses;
}

function whereFrom(code: ErrorCode, row: ErrorRow): string {
  if (row.reserved) return "reserved: not returned yet";
  const from = Object.values(operations).filter((operation) => wordsOf(operation).includes(code));
  if (from.length === Object.keys(operations).length) return "every endpoint";
  const readers = row.job ? [operations.getJob, operations.getGenmediaJob] : [];
  const shown = [...from, ...readers].map(({ method, path }) => `<code>${method.toUpperCase()} ${escapeHtml(path)}</code>`);
  if (shown.length > 0) return shown.join(", ");
  return row.inStream ? "streams that broke after they began" : "any path";
}

/** The codes of an operation as its dialect says them. */
function wordsOf({ errors: codes, dialect }: Operation): string[] {
  return codes.map((code) => dialects[dialect].codes[code] ?? code);
}
