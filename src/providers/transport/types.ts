// The types of one request to an upstream, its answer, and the client that sends it.
import type { IncomingHttpHeaders } from "node:http";
import type { Authorizer, Disconnect, Heard, Provider, StreamedBody } from "../types.ts";

export type { StreamedBody } from "../types.ts";

export type OnChunk = (chunk: Buffer) => void | Promise<void>;

export interface AnswerBody {
  /** Hands over every chunk in order; while a returned promise is pending the socket is paused. Call it once. */
  read(onChunk: OnChunk): Promise<void>;
  /** The whole body; more than `maxBytes` is an unreadable answer. No promise where all of it is here. `maxMs` is for tests. */
  bytes(maxBytes: number, maxMs?: number): Buffer | Promise<Buffer>;
  /** For readers of records: from now on UpstreamLimits' times for records apply, until the body ends. Returns the callback for each record. */
  timeRecords(): RecordTimes["heard"];
  /** Stops the call and closes its socket; a pending read rejects with an AbortError. */
  cancel(): void;
  /** Whether the reader kept the host waiting until just now, so that the host may have given up (docs/behaviour/streams.md#disconnects). */
  keptWaiting(): boolean;
}

export interface RecordTimes {
  /** A record arrived. While `pending` is unsettled the reader is waited for, which doesn't count as the host's silence. */
  heard(pending: void | Promise<void>): void;
  stop(): void;
}

export interface UpstreamRequest {
  provider: Provider;
  /** In place of the provider's own: one of its credentials. */
  authorizer?: Authorizer;
  method: "GET" | "POST" | "PUT";
  /**
   * Below the provider's base URL, with a leading slash; or an absolute address that the provider answered with, on any origin, to which
   * the provider's key and headers are sent as well (docs/behaviour/providers.md#protocols).
   */
  path: string;
  body: string | Buffer | StreamedBody | null;
  contentType: string;
  accept: string;
  /** Besides the provider's own: name, value, name, value. */
  headers?: readonly string[];
  requestId: string;
  /** The account whose fair quota the call counts against; absent: the gateway's own work. */
  account?: bigint | undefined;
  /** Told of the answer once its headers are here. */
  heard?: Heard | undefined;
  signal: AbortSignal;
  disconnect?: Disconnect | undefined;
  /** For work that is slower than an answer: the least time to the first byte, upload included, where the provider's own timeout is shorter. */
  firstByteMs?: number;
}

/** An answer whose headers have arrived; its body is read by exactly one of the readers of `body`, or cancelled. */
export interface UpstreamAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: AnswerBody;
}

/** What is open right now; all zero once everything ended (idle keep-alive sockets don't count). */
export interface UpstreamGauge {
  calls: number;
  waiting: number;
  sockets: number;
}

export interface Upstream {
  /**
   * Resolves with the status line and headers, whatever the status; redirects are not followed. Rejects with UpstreamError where there
   * is no answer, and with the signal's reason where it fired.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  gauge(): UpstreamGauge;
  /** Cuts every open call and socket. */
  close(): Promise<void>;
}

export interface UpstreamLimits {
  /**
   * Sockets for each origin: about what one process can stream at once. Together with as many callers' sockets that is half of 4,096
   * descriptors, the strictest usual hard limit, to which Node raises its own.
   */
  connections: number;
  /** Calls that may wait for a socket of an origin: a burst of four rounds. Each holds its body while it waits, hence the bound. */
  waiting: number;
  /**
   * Silence between two bytes of a body. Reasoning hosts send comments every 10 to 15 s; a minute is four missed ones. The provider's own
   * `timeout_ms` counts instead where it is longer: an operator who grants a slow host five minutes to its first byte grants it the same
   * pauses later.
   */
  idleMs: number;
  /**
   * To a stream's first record, and between two records, because comments alone renew idleMs for ever. A host may think as long as a
   * whole answer may take, or for `timeout_ms` where that is longer.
   */
  recordMs: number;
  /** From the headers of a stream of records to its end. */
  streamMs: number;
  connectMs: number;
  /** Origins besides the catalog file's that providers' answers may point to at a time; a queue has one or two. */
  answeredOrigins: number;
}
