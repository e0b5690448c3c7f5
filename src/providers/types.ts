// What an adapter of a wire protocol takes and gives. One function type per verb; no verb knows the ledger,
// the catalog or HTTP towards the client.
import type { Usage } from "../usage.ts";

export type Protocol = "openai" | "anthropic" | "rerank" | "fal" | "elevenlabs" | "minimax";

/** A provider as the catalog file gives it, its secret already read from the environment. */
export interface Provider {
  id: string;
  protocol: Protocol;
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string | null;
  headers: Record<string, string>;
  /** What variables put into the headers; absent: nothing. */
  secrets?: readonly string[];
  /** To the first byte of an answer. */
  timeoutMs: number;
}

/** One way to serve a model: a provider and the model's id there. */
export interface Route {
  provider: Provider;
  model: string;
  reducedPrecision: string | null;
  /** anthropic routes only: the newer form of thinking. */
  thinking: "adaptive" | "budget";
}

/** One call of one route. The adapter cancels it when `signal` fires or the provider's time-out passes. */
export interface UpstreamCall {
  route: Route;
  signal: AbortSignal;
  /** Sent upstream as x-request-id, so that both sides' logs meet. */
  requestId: string;
  /** The model id the answer must name. */
  publicModel: string;
  /** Whose turn it is where calls wait; absent: work of the gateway's own, such as a job's. */
  account?: bigint | undefined;
}

/** An answer in one piece. */
export interface Whole {
  kind: "whole";
  /** Null where the upstream reported none. */
  usage: Usage | null;
}

/** What a stream has shown so far. */
export interface Tally {
  /** The last usage the upstream reported. */
  usage: Usage | null;
  /** Records that carried content, reasoning or tool arguments: a lower bound of output tokens. */
  deltas: number;
  /** Characters of content, reasoning and tool arguments. */
  characters: number;
  /** The prompt's tokens, where the upstream measured them before the end; null: it has not. */
  prompt: PromptUsage | null;
}

export type PromptUsage = Pick<Usage, "input" | "cacheRead" | "cacheWrite">;

/** An answer that streams. It has begun: its first record is already here, so no other route may be tried. */
export interface AnswerStream<Rec, Shown extends Tally = Tally> {
  kind: "stream";
  /**
   * Hands every record to `onRecord` in order, waiting for a returned promise before it reads on (back-pressure
   * reaches the upstream's socket). Resolves when the upstream ended properly (its dialect's end was seen),
   * rejects with UpstreamError when the stream broke, with the signal's reason when it was aborted.
   */
  forEach(onRecord: (record: Rec) => void | Promise<void>): Promise<void>;
  /** What is known so far; complete once forEach has resolved. */
  tally: Shown;
  /** Stops the upstream call. */
  cancel(): void;
}
