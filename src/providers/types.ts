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

/**
 * Why an upstream did not serve; what to do next follows from it alone (WIRE.md 10.3):
 * - unavailable: connection, time-out, 5xx, 408, 529: next route; counts for the breaker, but for the 408
 * - rate_limited: 429: next route; a 4xx never counts for the breaker
 * - unreadable: a 200 that can't be understood: next route, counts; one that says it is an error is judged by what it says
 * - our_fault: 401, 402, bare 403, quota: our own account's trouble: next route, never shown to the caller
 * - gone: 404: next route
 * - refused: the content was refused: next route, doesn't count
 * - rejected: 400, 413, 422: the caller's parameters: no further route, shown to the caller
 * - local_overload: too many of our own calls wait for the provider; says nothing of it
 */
export type UpstreamFault =
  "unavailable" | "rate_limited" | "unreadable" | "our_fault" | "gone" | "refused" | "rejected" | "local_overload";

export class UpstreamError extends Error {
  readonly fault: UpstreamFault;
  /** The upstream's HTTP status; null where there was none. */
  readonly status: number | null;
  /** The upstream's own sentence, without secrets; shown to callers for `rejected` and `refused` only. */
  readonly reason: string;
  readonly retryAfterMs: number | null;
  /** The request field that the upstream found at fault, where it named one. */
  readonly param: string | null;

  constructor(
    fault: UpstreamFault,
    reason: string,
    options: { status?: number | null; retryAfterMs?: number | null; param?: string | null; cause?: unknown } = {},
  ) {
    super(`${fault}: ${reason}`, { cause: options.cause });
    this.fault = fault;
    this.reason = reason;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.param = options.param ?? null;
  }
}

/** One call of one route. The adapter cancels it when `signal` fires or the provider's time-out passes. */
export interface UpstreamCall {
  route: Route;
  signal: AbortSignal;
  /** Sent upstream as x-request-id, so that both sides' logs meet. */
  requestId: string;
}

/** A chat request in the OpenAI dialect, as JSON text: the caller's bytes with only our edits spliced in. */
export interface ChatCall extends UpstreamCall {
  body: string;
  stream: boolean;
  /** The model id the answer must name. */
  publicModel: string;
}

/** A whole answer, normalised to the OpenAI dialect (WIRE.md 10.2); `completion.usage` is left out. */
export interface ChatWhole {
  kind: "whole";
  completion: ChatCompletion;
  /** Null where the upstream reported none. */
  usage: Usage | null;
}

/** An answer that streams. It has begun: its first record is already here, so no other route may be tried. */
export interface ChatStream {
  kind: "stream";
  /**
   * Hands every record to `onRecord` in order, waiting for a returned promise before it reads on (back-pressure
   * reaches the upstream's socket). Resolves when the upstream ended properly (a finish reason or [DONE] was seen),
   * rejects with UpstreamError when the stream broke, with the signal's reason when it was aborted.
   */
  forEach(onRecord: (record: ChatRecord) => void | Promise<void>): Promise<void>;
  /** What is known so far; complete once forEach has resolved. */
  tally: ChatTally;
  /** Stops the upstream call. */
  cancel(): void;
}

/** One streamed record: the JSON text of a chunk in the OpenAI dialect, normalised, naming the public model, without usage. */
export interface ChatRecord {
  json: string;
}

/** What a stream has shown so far. */
export interface ChatTally {
  /** The last usage the upstream reported. */
  usage: Usage | null;
  /** Records that carried content, reasoning or tool arguments: a lower bound of output tokens. */
  deltas: number;
  /** Characters of content, reasoning and tool arguments. */
  characters: number;
  /** id and created of the chunks, for the records that the gateway adds itself. */
  id: string;
  created: number;
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

export interface ChatChoice {
  index: number;
  message: AssistantMessage & { [key: string]: unknown };
  finish_reason: FinishReason;
}

export interface AssistantMessage {
  role: "assistant";
  content: string | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  tool_calls?: ({ id?: string; type?: string; function?: { name: string; arguments: string } & { [key: string]: unknown } } & {
    [key: string]: unknown;
  })[];
}

/** A chat completion in the OpenAI dialect; unknown keys are kept. */
export interface ChatCompletion {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: (ChatChoice & { [key: string]: unknown })[];
  [key: string]: unknown;
}

export type Chat = (call: ChatCall) => Promise<ChatWhole | ChatStream>;
