// The record of one admitted request as it is written with its settlement: one row of table usage_log.
// bigints travel as text: the batch is one JSON document.

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
  /** USD per million tokens at which this attempt would be charged. */
  cost_basis: { input: number; output: number; cached: number | null; per_request: number };
}

export interface UsageLogRow {
  account_id: string;
  created_at: Date;
  id: string;
  request_id: string;
  key_id: string | null;
  operation: string;
  model: string;
  alias: string | null;
  served_model: string | null;
  status: "success" | "aborted" | "failed";
  http_status: number;
  error_code: string | null;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  /** The upstream gave no usage: counted here. */
  estimated: boolean;
  cost: string;
  reserved: string;
  /** The price snapshot of admission, in 1e-12 USD a unit. */
  prices: Record<string, string | null>;
  attempts: readonly AttemptRecord[];
  stream: boolean;
  fallback_layer: number | null;
  latency_ms: number;
  first_byte_ms: number | null;
}
