// What an adapter of a wire protocol takes and gives. One function type per verb; no verb knows the ledger,
// the catalog or HTTP towards the client.
import type { components } from "../../generated/api.d.ts";
import type { Usage } from "../usage.ts";
import type { CloneVoice, DesignVoice, ListVoices, MakeMusic, MakeSound, Say, Transcribe } from "./audio.ts";
import type { JsonText } from "./json/text.ts";
import type { MakeClip, MakePictures, UpstreamQueue } from "./media.ts";
import type { TroubleCause } from "./errors/trouble.ts";

type Message = components["schemas"]["Message"];

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

/**
 * Why an upstream did not serve; what to do next follows from it alone (WIRE.md 10.3):
 * - unavailable: connection, time-out, 5xx, 408, 529: next route; counts for the breaker, but for the 408
 * - rate_limited: 429: next route; a 4xx never counts for the breaker
 * - unreadable: a 200 that can't be understood: next route, counts; one that says it is an error is judged by what it says
 * - our_fault: 401, 402, bare 403, quota: our own account's trouble: next route, never shown to the caller
 * - gone: 404: next route
 * - refused: the content was refused: next route, doesn't count
 * - rejected: 400, 413, 422, or without a status what this dialect can't say: the caller's parameters: no further route, shown to the
 *   caller; but see the rules of routing/attempt.ts
 * - local_overload: too many of our own calls wait for the provider; says nothing of it
 * - failed: work that the upstream had accepted has failed there: nothing is tried again
 */
export type UpstreamFault =
  "unavailable" | "rate_limited" | "unreadable" | "our_fault" | "gone" | "refused" | "rejected" | "local_overload" | "failed";

/** A failure as its operator sees it. */
export interface Trouble {
  cause: TroubleCause;
  /** A sentence without secrets: the upstream's own where it said one. */
  detail: string;
}

type JobErrorCode = components["schemas"]["JobErrorCode"];

export class UpstreamError extends Error {
  readonly fault: UpstreamFault;
  /** The upstream's HTTP status; null where there was none. */
  readonly status: number | null;
  /** The upstream's own sentence, without secrets; shown to callers for `rejected` and `refused` only. */
  readonly reason: string;
  readonly retryAfterMs: number | null;
  /** The request field that the upstream found at fault, where it named one. */
  readonly param: string | null;
  /** Why a job failed, where more is known than the fault says, and the upstream's own word for it; null: it said none. */
  readonly job: { code: JobErrorCode; word: string | null } | null;
  /** Where fault and status don't say what happened; read it by troubleOf. */
  readonly trouble: Trouble | null;

  constructor(
    fault: UpstreamFault,
    reason: string,
    options: Partial<Pick<UpstreamError, "status" | "retryAfterMs" | "param" | "job" | "trouble">> & { cause?: unknown } = {},
  ) {
    super(`${fault}: ${reason}`, { cause: options.cause });
    this.fault = fault;
    this.reason = reason;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.param = options.param ?? null;
    this.job = options.job ?? null;
    this.trouble = options.trouble ?? null;
  }
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

/** A chat request in the OpenAI dialect, as JSON text: the caller's bytes with only our edits spliced in. */
export interface ChatCall extends UpstreamCall {
  body: JsonText;
  stream: boolean;
  /** Output tokens that are reserved for: the cap of an upstream that must have one, where the body names none. */
  outputMax: number;
}

/** A whole answer, normalised to the OpenAI dialect (WIRE.md 10.2); `completion.usage` is left out. */
export interface ChatWhole extends Whole {
  completion: ChatCompletion;
}

/** One streamed record: the JSON text of a chunk in the OpenAI dialect, normalised, naming the public model, without usage. */
export interface ChatRecord {
  json: string;
}

export interface ChatTally extends Tally {
  /** id and created of the chunks, for the records that the gateway adds itself. */
  id: string;
  created: number;
}

export type ChatStream = AnswerStream<ChatRecord, ChatTally>;

export type Chat = (call: ChatCall) => Promise<ChatWhole | ChatStream>;

/** A message request in the Anthropic dialect, as JSON text: the caller's bytes with only our edits spliced in. */
export interface MessageCall extends UpstreamCall {
  body: JsonText;
  stream: boolean;
  /** As in ChatCall. */
  outputMax: number;
  /** Estimate of the prompt's tokens, for a message_start whose upstream has not said them yet. Never rejects. */
  promptTokens: () => Promise<number>;
  /** The caller's `anthropic-beta` header, for upstreams of the same dialect; null: none. */
  betas: string | null;
}

/** A whole message in the Anthropic dialect, without its usage. */
export interface MessageWhole extends Whole {
  message: Omit<Message, "usage">;
  /** Characters of thinking that the caller didn't want to see: they were written all the same. Absent: none. */
  hiddenCharacters?: number;
}

/**
 * One event of a streamed message from `message_start` (its usage an estimate, `output_tokens` 0) to the last
 * `content_block_stop`. `message_delta` and `message_stop` are left out: they carry the charge, so the gateway writes them.
 */
export interface MessageRecord {
  event: "message_start" | "ping" | "content_block_start" | "content_block_delta" | "content_block_stop";
  json: string;
}

export interface MessageTally extends Tally {
  /** Why the message ended; null until it has. */
  end: MessageEnd | null;
}

/** What `message_delta` says beside the usage. */
export type MessageEnd = Pick<Message, "stop_reason" | "stop_sequence" | "stop_details">;

export type MessageStream = AnswerStream<MessageRecord, MessageTally>;

export type Messages = (call: MessageCall) => Promise<MessageWhole | MessageStream>;

/** An embeddings request in the OpenAI dialect, as JSON text. How vectors are asked for is the adapter's, whatever the caller wants. */
export interface EmbedCall extends UpstreamCall {
  body: JsonText;
  /** Texts that were sent: as many vectors are an answer. */
  inputs: number;
  /** Length that was asked for; null: the model's own. */
  dimensions: number | null;
  /** The caller wants base64: an upstream that writes it saves both sides the numbers' text. */
  base64: boolean;
}

/** Numbers as the upstream wrote them, or the float32 values of its base64. */
export type Vector = readonly number[] | Float32Array;

export interface EmbedWhole extends Whole {
  /** One vector an input, in input order, all of one length. */
  vectors: Vector[];
}

export type Embed = (call: EmbedCall) => Promise<EmbedWhole>;

/** A rerank request in the form of Cohere and Jina, as JSON text. */
export interface RerankCall extends UpstreamCall {
  body: JsonText;
  /** How many documents were sent: an index beyond them is no answer. */
  documents: number;
  /** Most results that were asked for; null: all. */
  topN: number | null;
}

export interface RankedDocument {
  index: number;
  relevance_score: number;
  [key: string]: unknown;
}

export interface RerankWhole extends Whole {
  /** The upstream's answer with `results` best first, whatever its shape was (WIRE.md 11.2), naming the public model; its usage left out. */
  ranking: { model: string; results: RankedDocument[]; [key: string]: unknown };
  /** What the upstream says of its usage, without what it costs the gateway. */
  usageShown: Record<string, unknown>;
}

export type Rerank = (call: RerankCall) => Promise<RerankWhole>;

/** The adapters: one function a verb and wire protocol. */
export interface Adapters {
  chat: Partial<Record<Protocol, Chat>>;
  messages: Partial<Record<Protocol, Messages>>;
  embed: Partial<Record<Protocol, Embed>>;
  rerank: Partial<Record<Protocol, Rerank>>;
  pictures: Partial<Record<Protocol, MakePictures>>;
  clips: Partial<Record<Protocol, MakeClip>>;
  /** Of the protocols that give tickets. */
  queues: Partial<Record<Protocol, UpstreamQueue>>;
  transcribe: Partial<Record<Protocol, Transcribe>>;
  say: Partial<Record<Protocol, Say>>;
  music: Partial<Record<Protocol, MakeMusic>>;
  sounds: Partial<Record<Protocol, MakeSound>>;
  voices: Partial<Record<Protocol, ListVoices>>;
  cloneVoice: Partial<Record<Protocol, CloneVoice>>;
  designVoice: Partial<Record<Protocol, DesignVoice>>;
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
