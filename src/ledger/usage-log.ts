// The record of an admitted request, written with its settlement: one row of table usage_log. bigints travel as text, since a batch may
// be one JSON document.
import type { components } from "../../generated/api.d.ts";
import type { AudioPrices } from "../pricing/audio-cost.ts";

/** One attempt at an upstream, in order. */
export interface AttemptRecord {
  /** provider/upstream model */
  route: string;
  /** The catalog's model that it was for. */
  model: string;
  /** ok, or why it did not serve. */
  outcome: string;
  /** The upstream's HTTP status, if it answered. */
  status: number | null;
  latency_ms: number;
  /** What the upstream calls its answer, for questions to the provider; absent: it named none. */
  response_id?: string;
  /** How many requests the provider answered for it; absent: one, or none where it failed. */
  requests?: number;
  /** The one of its provider's credentials that was used last, and those that were refused before it; absent: the provider has no list. */
  credential?: string;
  refused?: { credential: string; outcome: string; status: number | null; cause: string; detail: string }[];
  /** Why it failed: a cause of src/providers/errors/upstream-error.ts, and its text. Absent: it succeeded, or is older than causes in the log. */
  cause?: string;
  detail?: string;
  /** What the provider charges the operator for it, in 1e-8 USD; absent: its route names no cost. */
  cost?: string;
  /** How the routes of the call were put in order, on its first attempt; absent: as the catalog has them. */
  choice?: components["schemas"]["RouteChoice"];
  /** The usual price of its model in USD per million tokens, without tier or long prompt; absent where tokens are not billed. */
  cost_basis?: { input: number; output: number; cached: number | null; per_request: number };
}

/** Per token in 1e-12 USD, per request in 1e-8 USD. */
export interface LoggedPrices {
  /** The model whose prices these are: the one asked for, or a fallback that answered and cost less. */
  model: string;
  input: string;
  output: string;
  cached: string | null;
  /** Absent: as input, and as cache_write. */
  cache_write?: string;
  cache_write_1h?: string;
  per_request: string;
  /** The prices have the multiple of this service tier; absent: of none. */
  service_tier?: string;
  /** They are those of long prompts. */
  long_context?: true;
  /**
   * Of one call of a tool that the provider may run for this call, and how many are charged: beside the prices, as tokens have columns and these
   * none.
   */
  web_search?: string;
  web_searches?: number;
  web_fetch?: string;
  web_fetches?: number;
  /** The charge was rounded up to a multiple of this, in 1e-8 USD; absent: 1. */
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
  /** Absent: none. */
  cache_write_1h_tokens?: number;
  output_tokens: number;
  reasoning_tokens: number;
  /** The upstream reported no usage: it was counted here. */
  estimated: boolean;
  cost: string;
  reserved: string;
  /** The prices that apply, as of admission. */
  prices: LoggedPrices | AudioPrices;
  /** How much was billed, in `unit`; absent: tokens, which have fields of their own. */
  units?: number;
  unit?: AudioPrices["unit"];
  attempts: readonly AttemptRecord[];
  /** The sum of the attempts' costs; null: no route named one. */
  expense: string | null;
  stream: boolean;
  fallback_layer: number | null;
  latency_ms: number;
  first_byte_ms: number | null;
  /** What the caller calls it, such as {"user":"u-1"}; absent: nothing. */
  tags?: Record<string, string>;
}

/** In the order of the fields of tagged_call, which ends with a call's place, the total up to it and its tags. */
export const logColumns = [
  ...["account_id", "created_at", "id", "request_id", "key_id", "operation", "model", "alias", "served_model", "status", "http_status"],
  ...["error_code", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens", "estimated", "cost"],
  ...["reserved", "prices", "attempts", "stream", "fallback_layer", "latency_ms", "first_byte_ms", "model_type", "error_message", "units"],
  ...["unit", "expense", "cache_write_1h_tokens"],
] as const satisfies readonly (keyof UsageLogRow)[];

export function expenseOfAttempts(attempts: readonly AttemptRecord[]): string | null {
  const costs = attempts.flatMap(({ cost }) => (cost === undefined ? [] : [BigInt(cost)]));
  return costs.length === 0 ? null : String(costs.reduce((sum, cost) => sum + cost));
}

/** Whole milliseconds that the column can hold. By performance.now(), so that setting the clock during a call changes nothing. */
export function msSince(since: number): number {
  return Math.min(Math.max(0, Math.round(performance.now() - since)), 2_147_483_647);
}

/** Makes a sentence storable, which may quote an upstream: a row that Postgres rejects would fail the whole batch of settlements. */
export function storableText(text: string): string {
  return text.slice(0, textMax).replaceAll("\0", "").toWellFormed();
}

const textMax = 2_000;
