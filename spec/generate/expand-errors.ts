// Turns each operation's named error sets and codes into responses: per status the closed set of codes, in the words
// and the envelope of the operation's dialect. Fails on a code without a row and on a row that nothing can answer.
import { type Catalogue, type Row, rowAt } from "./catalogue.ts";
import { type Document, type Located, operationsOf, type Response } from "./document.ts";
import { errorExamplesByCode } from "./error-examples.ts";
import { fieldOf } from "./field-of.ts";
import { errorHeaders } from "./error-headers.ts";
import { type ErrorsOfStatus, errorSchema } from "./error-schemas.ts";

export interface ExpandedOperation extends Located {
  dialect: string;
  /** The catalogue's codes, in its order. */
  errors: string[];
  /** Where this operation answers a code with other statuses than the catalogue's row. */
  statuses: Record<string, number[]>;
  /** It names a model, and so counts for the limits of the account. */
  counts: boolean;
}

/** Beside the named sets, every operation may fail. */
const everywhere = ["internal_error"];

export function expandErrors(document: Document, catalogue: Catalogue): ExpandedOperation[] {
  const operations = operationsOf(document).map((one) => {
    const id = one.operation.operationId;
    const dialect = (one.operation["x-error-dialect"] as string | undefined) ?? "standard";
    const errors = codesOf(one, catalogue);
    const statuses = (one.operation["x-error-statuses"] as Record<string, number[]> | undefined) ?? {};
    const suggests = (one.operation["x-error-suggests"] as string[] | undefined) ?? [];
    assertDeclared(id, [...Object.keys(statuses), ...suggests], errors);
    // Only what names a model can ask for a paid one.
    const counts = errors.includes("model_requires_paid");
    const expanded = { ...one, dialect, errors, statuses, counts };
    for (const [status, response] of responsesOf(document, catalogue, expanded, suggests)) one.operation.responses[status] = response;
    for (const name of ["x-error-sets", "x-error-codes", "x-error-statuses", "x-error-suggests"] as const) delete one.operation[name];
    return expanded;
  });
  assertReachable(catalogue, operations);
  return operations;
}

function codesOf({ operation }: Located, { rows, sets }: Catalogue): string[] {
  const named = ((operation["x-error-sets"] as string[] | undefined) ?? []).flatMap((name) => {
    const set = sets[name];
    if (set === undefined) throw new Error(`${operation.operationId}: there is no error set ${name}`);
    return set;
  });
  const own = (operation["x-error-codes"] as string[] | undefined) ?? [];
  const codes = new Set([...named, ...own, ...everywhere]);
  for (const code of codes) if (rows[code] === undefined) throw new Error(`${operation.operationId}: the catalogue has no code ${code}`);
  return Object.keys(rows).filter((code) => codes.has(code));
}

function responsesOf(
  document: Document,
  catalogue: Catalogue,
  { operation, dialect: dialectName, errors, statuses, counts }: ExpandedOperation,
  suggests: readonly string[],
): [string, Response][] {
  const { operationId } = operation;
  const field = fieldOf(document, operation);
  const dialect = catalogue.dialects[dialectName];
  if (dialect === undefined) throw new Error(`${operationId}: there is no error dialect ${dialectName}`);
  const byStatus = new Map<number, ErrorsOfStatus>();
  for (const code of errors) {
    const row = catalogue.rows[code] as Row;
    if (row.inStream === true) continue;
    for (const status of statuses[code] ?? statusesOf(row, dialect.statuses[code])) {
      const group = byStatus.get(status) ?? { status, suggests: false, entries: [] };
      group.entries.push({ code, shown: dialect.codes[code] ?? code, row: rowAt(row, status) });
      group.suggests ||= suggests.includes(code);
      byStatus.set(status, group);
    }
  }
  return [...byStatus.values()]
    .sort((a, b) => a.status - b.status)
    .map((group) => [
      String(group.status),
      {
        description: descriptionOf(group),
        headers: errorHeaders(group, dialect.envelope, counts),
        content: {
          "application/json": {
            schema: errorSchema(document, operationId, dialect, group),
            examples: errorExamplesByCode(document, dialect, group, field),
          },
        },
      },
    ]);
}

function statusesOf(row: Row, ofDialect: number | undefined): number[] {
  return ofDialect === undefined ? (row.statuses ?? [row.status]) : [ofDialect];
}

function descriptionOf({ entries }: ErrorsOfStatus): string {
  const texts = new Map(entries.map(({ shown, row }) => [shown, row.happened]));
  return [...texts].map(([code, happened]) => `\`${code}\`: ${happened}`).join("\n");
}

/** A narrowing or an addition to a code that the operation doesn't declare is a slip of the pen. */
function assertDeclared(id: string, named: readonly string[], errors: readonly string[]): void {
  const unknown = named.filter((code) => !errors.includes(code));
  if (unknown.length > 0) throw new Error(`${id}: x-error-statuses or x-error-suggests name what it never answers: ${unknown.join(", ")}`);
}

/** A code that no operation declares could never be answered: it is dead, or an operation forgot it. */
function assertReachable({ rows }: Catalogue, operations: readonly ExpandedOperation[]): void {
  const declared = new Set(operations.flatMap(({ errors }) => errors));
  const elsewhere = (row: Row) =>
    row.reserved === true || row.jobOnly === true || row.older === true || row.unrouted === true || row.inStream === true;
  const dead = Object.keys(rows).filter((code) => !declared.has(code) && !elsewhere(rows[code] as Row));
  if (dead.length > 0) throw new Error(`no operation declares: ${dead.join(", ")}`);
}
