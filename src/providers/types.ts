// The types that all protocol adapters share: provider, route, call, answer. An adapter knows neither the ledger nor the catalog nor the
// caller's HTTP.
import type { Readable } from "node:stream";
import type { ServerTool } from "../../generated/withheld-fields.ts";
import type { Price } from "../money.ts";
import type { Usage } from "../usage.ts";
import type { UpstreamError } from "./errors/upstream-error.ts";

export type Protocol =
  "openai" | "anthropic" | "bedrock" | "rerank" | "fal" | "elevenlabs" | "minimax" | "gemini" | "cohere" | "azure-openai" | "vertex";

/** How a host reads the `openai` protocol otherwise than it says. */
export interface Variant {
  /** What the host calls a field; null: it refuses the field, and answers without it as it would with it. */
  fields: Readonly<Record<string, string | null>>;
  /** It reads `reasoning_effort` and refuses the object `reasoning`. */
  effortAlone?: boolean;
  /** The total of its usage counts thoughts that no other figure counts. */
  thoughtsInTotal?: boolean;
  /** Host names of its base URLs; a host below one of them counts too. */
  hosts: readonly string[];
}

/** What makes the headers that authorize a request, where no key does. */
export interface Authorizer {
  /** Called before each request, for tokens and signatures; absent: the key is in the headers. */
  authorize?: Authorize;
  /** Told of each 401 and 403, so that a credential which was withdrawn is not used until it expires. */
  onUnauthorized?: () => void;
}

/** A provider of the catalog file, its secret already read from the environment. */
export interface Provider extends Authorizer {
  id: string;
  protocol: Protocol;
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string | null;
  /** In place of `apiKey`; absent: none. */
  credentials?: readonly Credential[];
  headers: Record<string, string>;
  /** Values that environment variables put into the headers; absent: none. */
  secrets?: readonly string[];
  /** Of the `openai` protocol; absent: the plain form. */
  variant?: Variant | undefined;
  /** Of the `azure-openai` protocol: the version whose paths name deployments; absent: the unversioned paths. */
  apiVersion?: string;
  /** Request fields that reach it although they change what it charges. */
  forward: readonly string[];
  /** Milliseconds to the first byte of an answer. */
  timeoutMs: number;
  /** What happens to a call whose caller disconnected; null: what follows from the answer so far (docs/behaviour/streams.md#disconnects). */
  onDisconnect: OnDisconnect | null;
}

/** One of a provider's keys or identities. */
export interface Credential extends Authorizer {
  /** Its name in the catalog file. */
  id: string;
  /** Absent: it is an identity, which authorizes each request. */
  key?: string;
  weight: number;
}

/** The headers to add. Rejects with an UpstreamError that says what is wrong; credentials/authorize.ts bounds its time. */
type Authorize = (request: RequestToSign) => Promise<Readonly<Record<string, string>>>;

/** A request as it will be sent. */
export interface RequestToSign {
  method: string;
  origin: string;
  /** On that origin, with its query. */
  path: string;
  /** By lower-case name; the transport adds `host`, `accept`, `x-request-id` and `traceparent`. */
  headers: Readonly<Record<string, string>>;
  /** A streamed body is opened anew by each reader. */
  body: string | Buffer | StreamedBody | null;
}

/** A body that is never in memory as a whole. */
export interface StreamedBody {
  /** In bytes, sent as content-length: some hosts refuse chunked bodies. */
  length: number;
  /** Opens a new stream each time it is sent; it is destroyed when the call ends, however it ends. */
  open(): Readable;
}

type OnDisconnect = "cancel" | "drain";

/** One way to serve a model: a provider and the model's id there. */
export interface Route {
  provider: Provider;
  model: string;
  reducedPrecision: string | null;
  /** Share of the requests that are sent here first, among the model's routes; absent: it has its place in their order. */
  weight?: number;
  /** Which form of thinking the model takes, for protocols with two: anthropic, gemini. */
  thinking: "adaptive" | "budget";
  /** The public name by which requests choose it; absent: it has none. */
  label?: string;
  /** Whether its provider continues texts with this model, without a chat; absent: no. */
  completions?: boolean;
  /** Null: the catalog names none. */
  cost: RouteCost | null;
}

/** What a provider charges the operator for one of each, in 1e-12 USD. */
export interface RouteCost {
  input: Price;
  output: Price;
  cacheRead: Price;
  cacheWrite: Price;
  /** Written to the prompt cache for an hour. */
  cacheWriteHour: Price;
  request: Price;
  /** Of calls of tools that it runs. */
  toolCalls: Readonly<Partial<Record<ServerTool, Price>>>;
  image: Price;
  second: Price;
  minute: Price;
  character: Price;
  /** Multiples of every token's cost, in millionths, by service tier; absent: none differs. */
  tiers?: ReadonlyMap<string, bigint> | undefined;
  /** Of a request whose prompt is longer than `above` tokens; absent: as any other. */
  long?: ({ above: number } & Pick<RouteCost, "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWriteHour">) | undefined;
}

/** One call of one route. The adapter cancels it when `signal` fires or the provider's timeout passes. */
export interface UpstreamCall {
  route: Route;
  signal: AbortSignal;
  /** Sent upstream as x-request-id, so that both sides' logs can be matched. */
  requestId: string;
  /** The model id that the answer must name. */
  publicModel: string;
  /** The account whose fair quota the call counts against; absent: the gateway's own work, such as a job's. */
  account?: bigint | undefined;
  /** Told of each answer; absent: no record of it is kept. */
  heard?: Heard | undefined;
  /** Absent: a call that doesn't depend on a caller's connection. */
  disconnect?: Disconnect | undefined;
}

/** `responseId`: what the answer's headers call it; null: they don't say. `served`: it is no error. */
type HeardAnswer = (responseId: string | null, served: boolean, credential?: UsedCredential) => void;

export interface Heard extends HeardAnswer {
  /** What the answer calls itself, which counts where its headers don't say. */
  named(id: string): void;
}

export interface UsedCredential {
  id: string;
  /** Present where the credential was refused and another is tried. */
  refusal?: UpstreamError;
}

/** How a call learns that its caller disconnected, and what it had sent by then. */
export interface Disconnect {
  /** The upstream is to stop, and what it still sends until it has noticed is read. Unlike `signal` it loses no output that is billed. */
  stopUpstream: AbortSignal;
  /** Called when a request goes onto a socket: from then on the provider may bill it. */
  onSent(): void;
  /** The caller disconnected: what was sent is awaited, and nothing more is to be sent. */
  isGone(): boolean;
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
  /** The prompt's tokens, where the upstream reported them before the end, else null. */
  prompt: PromptUsage | null;
  /** `deltas` and `characters` when `usage` was reported: it doesn't cover what came later. */
  covered: { deltas: number; characters: number };
  /** Whether the answer has ended, usage aside. */
  finished: boolean;
  /** How many of its choices have ended. */
  ended: number;
  /** Whether any reasoning was shown. */
  reasoned: boolean;
  /** The service tier that the upstream named before the end; absent: none. */
  servedTier?: string | undefined;
}

export type PromptUsage = Pick<Usage, "input" | "cacheRead" | "cacheWrite" | "cacheWriteHour">;

/** A streamed answer that has begun: its first record is here, so no other route may be tried. */
export interface AnswerStream<Rec, Shown extends Tally = Tally> {
  kind: "stream";
  /**
   * Hands every record to `onRecord` in order and waits for a returned promise before it reads on (back-pressure reaches the upstream's
   * socket). Resolves when the stream ended as its dialect requires, rejects with UpstreamError when it was interrupted, with the
   * signal's reason when it was aborted.
   */
  forEach(onRecord: (record: Rec) => void | Promise<void>): Promise<void>;
  /** What is known so far; complete once forEach has resolved. */
  tally: Shown;
  /** Stops the upstream call. */
  cancel(): void;
}
