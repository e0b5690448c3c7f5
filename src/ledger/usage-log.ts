// The record of one admitted request as it is written with its settlement: one row of table usage_log.
// bigints travel as text: the batch is one JSON document.
import type { AudioPrices } from "../pricing/audio-cost.ts";

/** One upstream attempt of a request, in order. */
export interface AttemptRecord {
  /** provider/upstream model */
  route: string;
  /** The model of the catalog it served for. */
  model: string;
  /** ok, or why it did not serve. */
  outcome: string;
  /** The upstream's HTTP status, where there was one. */
  status: number | null;
  latency_ms: number;
  /** Why it failed: a word of src/providers/errors/failure.ts, and what was said. Absent: it did not, or it was written before causes were kept. */
  cause?: string;
  detail?: string;
  /** USD per million tokens at which this attempt would be charged; absent where no tokens are billed. */
  cost_basis?: { input: number; output: number; cached: number | null; per_request: number };
}

/** Per token in 1e-12 USD, per request in 1e-8 USD. */
export interface LoggedPrices {
  /** Whose they are: the model asked for, or another that answered and came out cheaper. */
  model: string;
  input: string;
  output: string;
  cached: string | null;
  per_request: string;
  /** What the charge was rounded up to a multiple of, in 1e-8 USD; absent: 1. */
  step?: string;
}

export interface UsageLogRow {
  account_id: string;
  created_at: Date;
  id: string;
  request_id: string;
  key_id: string | null;
  operation: string;
  model: string;
  model_type: string;
  alias: string | null;
  served_model: string | null;
  status: "success" | "aborted" | "failed";
  http_status: number;
  error_code: string | null;
  /** The sentence that the caller got, by storableText. */
  error_message: string | null;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  /** The upstream gave no usage: counted here. */
  estimated: boolean;
  cost: string;
  reserved: string;
  /** The prices that count, of admission's time. */
  prices: LoggedPrices | AudioPrices;
  /** How much was billed, in `unit`; absent: tokens, which have fields of their own. */
  units?: number;
  unit?: AudioPrices["unit"];
  attempts: readonly AttemptRecord[];
  stream: boolean;
  fallback_layer: number | null;
  latency_ms: number;
  first_byte_ms: number | null;
}

/** Whole milliseconds that the column can hold. By performance.now(): a clock that is set in the middle of a call changes nothing. */
export function msSince(since: number): number {
  return Math.min(Math.max(0, Math.round(performance.now() - since)), 2_147_483_647);
}

/** A sentence may quote an upstream: a row that Postgres refuses would hold up the whole batch of settlements it stands in. */
export function storableText(text: string): string {
  return text.slice(0, textMax).replaceAll("\0", "").toWellFormed();
}

const textMax = 2_000;
