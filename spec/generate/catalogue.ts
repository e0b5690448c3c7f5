// Takes the error catalogue out of the document, where errors.tsp left it as extensions.
import type { Document } from "./document.ts";

export interface Row {
  status: number;
  /** Rows that may answer with more than one status. */
  statuses?: number[];
  /** What is another at one of its statuses. */
  at?: Record<number, Partial<Pick<Row, "type" | "retryable" | "message" | "happened" | "fix">>>;
  type: string;
  retryable: boolean;
  message: string;
  happened: string;
  fix: string;
  retryAfterSec?: number;
  /** Not returned yet. */
  reserved?: boolean;
  /** Lacks `retryable` and `x-should-retry`. */
  bare?: boolean;
  /** Only in a stream. */
  inStream?: boolean;
  /** May be a job's error. */
  job?: boolean;
  /** Only ever a job's error. */
  jobOnly?: boolean;
  /** Another row's code in an older dialect. */
  older?: boolean;
  /** Answered before any operation is found. */
  unrouted?: boolean;
}

export interface Dialect {
  envelope: "standard" | "anthropic" | "bare" | "genmedia";
  codes: Record<string, string>;
  types: Record<string, string>;
  statuses: Record<string, number>;
}

export interface Catalogue {
  rows: Record<string, Row>;
  sets: Record<string, string[]>;
  dialects: Record<string, Dialect>;
}

/** As it is answered with one of its statuses. */
export function rowAt(row: Row, status: number): Row {
  return { ...row, ...row.at?.[status] };
}

export function catalogueOf(document: Document): Catalogue {
  const carrier = document.components.schemas.ErrorCatalogue;
  if (carrier === undefined) throw new Error("errors.tsp has no ErrorCatalogue");
  delete document.components.schemas.ErrorCatalogue;
  return {
    rows: carrier["x-error-catalogue"] as Catalogue["rows"],
    sets: carrier["x-error-sets"] as Catalogue["sets"],
    dialects: carrier["x-error-dialects"] as Catalogue["dialects"],
  };
}
