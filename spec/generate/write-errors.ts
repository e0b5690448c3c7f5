// generated/errors.ts: the catalogue and the dialects as data, typed so that code can only fail with a code that exists.
import type { Catalogue } from "./catalogue.ts";

export function errorsSource({ rows, dialects }: Catalogue): string {
  const names = Object.keys(dialects).map((name) => JSON.stringify(name));
  return `export interface ErrorRow {
  status: number;
  /** Rows that may answer with more than one status. */
  statuses?: readonly number[];
  /** What is another at one of its statuses. */
  at?: Readonly<Record<number, Partial<Pick<ErrorRow, "type" | "retryable" | "message" | "happened" | "fix">>>>;
  type: string;
  retryable: boolean;
  /** {name} is filled in; a part in [square brackets] is dropped when a name inside it is not known. */
  message: string;
  happened: string;
  fix: string;
  retryAfterSec?: number;
  reserved?: boolean;
  bare?: boolean;
  inStream?: boolean;
  job?: boolean;
  jobOnly?: boolean;
  older?: boolean;
  unrouted?: boolean;
}

export interface DialectRow {
  envelope: "standard" | "anthropic" | "bare" | "genmedia";
  codes: Partial<Record<ErrorCode, string>>;
  types: Readonly<Record<string, string>>;
  statuses: Partial<Record<ErrorCode, number>>;
}

export type ErrorCode =
${Object.keys(rows)
  .map((code) => `  | ${JSON.stringify(code)}`)
  .join("\n")};

export type Dialect = ${names.join(" | ")};

export const errors: Readonly<Record<ErrorCode, ErrorRow>> = ${JSON.stringify(rows, null, 2)};

export const dialects: Readonly<Record<Dialect, DialectRow>> = ${JSON.stringify(dialects, null, 2)};
`;
}
