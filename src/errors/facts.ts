// Which statuses and operations answer with each error code. The error pages and GET /v1/errors say the same because both ask here.
import { dialects, errors } from "../../generated/errors.ts";
import type { DialectRow, ErrorCode, ErrorRow } from "../../generated/errors.ts";
import { operations } from "../../generated/operations.ts";
import type { Operation } from "../../generated/operations.ts";

export interface ErrorFacts {
  code: ErrorCode;
  row: ErrorRow;
  /** Ascending; empty if the code is only ever a failed job's, or comes inside a stream. */
  statuses: readonly number[];
  /** The rows of statuses that have one of their own. */
  otherwise: readonly { status: number; row: ErrorRow }[];
  /** In the contract's order; a job's code names the operations that read jobs as well. */
  operations: readonly Operation[];
}

let facts: readonly ErrorFacts[] | undefined;

/** All codes in the catalogue's order. Read once: of each operation's page it would be half of the work. */
export function allErrorFacts(): readonly ErrorFacts[] {
  return (facts ??= readAll());
}

function readAll(): ErrorFacts[] {
  const codes = Object.keys(errors) as ErrorCode[];
  return codes.map((code) => {
    const row = errors[code];
    const places = Object.values(operations).flatMap((operation) =>
      operation.errors.filter((own) => shownAs(operation, own) === code).map((own) => ({ operation, own })),
    );
    const answered = places.map(({ operation, own }) => statusesOf(operation, own));
    const own = row.jobOnly || row.inStream || places.length > 0 ? [] : (row.statuses ?? [row.status]);
    const readers = row.job ? [operations.getJob, operations.getGenmediaJob] : [];
    const statuses = [...new Set([...own, ...answered.flat()])].sort((a, b) => a - b);
    return {
      code,
      row,
      statuses,
      otherwise: statuses.flatMap((status) => (row.at?.[status] === undefined ? [] : [{ status, row: { ...row, ...row.at[status] } }])),
      operations: [...new Set([...places.map(({ operation }) => operation), ...readers])],
    };
  });
}

/** The code in the operation's dialect: older endpoints have other codes. */
export function shownAs({ dialect }: Operation, code: ErrorCode): string {
  return (dialects[dialect] as DialectRow).codes[code] ?? code;
}

/** The statuses with which one operation answers a code of the catalogue. */
export function statusesOf(operation: Operation, code: ErrorCode): readonly number[] {
  const { statuses }: DialectRow = dialects[operation.dialect];
  const ofDialect = statuses[code];
  const row = errors[code];
  return operation.statuses?.[code] ?? (ofDialect === undefined ? (row.statuses ?? [row.status]) : [ofDialect]);
}

/** The template as a sentence for readers: with every optional part, and `{name}` for values. */
export function messageTemplate({ message }: ErrorRow): string {
  return message.replace(/\[([^[\]]*\{\w+\}[^[\]]*)\]/g, "$1");
}
