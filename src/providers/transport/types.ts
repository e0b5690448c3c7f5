// One request to an upstream, its answer, and what sends them. Types only.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Provider } from "../types.ts";

export type OnChunk = (chunk: Buffer) => void | Promise<void>;

export interface AnswerBody {
  /** Hands every chunk over in order; while a returned promise is pending the socket is paused. May be called once. */
  read(onChunk: OnChunk): Promise<void>;
  /** The whole body; more than `maxBytes` is an unreadable answer. `maxMs`: for tests. */
  bytes(maxBytes: number, maxMs?: number): Promise<Buffer>;
  /** For who reads records: from now on they have the times of UpstreamLimits, until the body ends. Gives what to tell of each. */
  timeRecords(): RecordTimes["heard"];
  /** Stops the call and closes its socket; a pending read rejects with an AbortError. */
  cancel(): void;
}

export interface RecordTimes {
  /** A record is here. While `pending` its reader is waited for, which is not the host's silence. */
  heard(pending: void | Promise<void>): void;
  stop(): void;
}

/** A body that is never whole in memory. */
export interface StreamedBody {
  /** Bytes: sent as content-length, for hosts that take no chunks. */
  length: number;
  /** A fresh stream for each time it is sent; destroyed when the call ends, however it ends. */
  open(): Readable;
}

export interface UpstreamRequest {
  provider: Provider;
  method: "GET" | "POST" | "PUT";
  /**
   * Below the provider's base URL, with a leading slash; or an absolute address that the provider answered with, on whatever origin:
   * the provider's key and headers go along (OPERATOR.md, the table of protocols).
   */
  path: string;
  body: string | Buffer | StreamedBody | null;
  contentType: string;
  accept: string;
  /** Beside the provider's own: name, value, name, value. */
  headers?: readonly string[];
  requestId: string;
  /** Whose turn it is where calls wait; absent: the gateway's own. */
  account?: bigint | undefined;
  signal: AbortSignal;
  /** For work that takes longer than answers do: the least time to the first byte, the body's way included, where the provider's own is shorter. */
  firstByteMs?: number;
}

/** An answer whose headers are here; its body is read by exactly one of the readers of `body`, or cancelled. */
export interface UpstreamAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: AnswerBody;
}

/** What is open right now; all zero once everything ended (sockets may be kept alive for the next call). */
export interface UpstreamGauge {
  calls: number;
  waiting: number;
  sockets: number;
}

export interface Upstream {
  /**
   * Resolves with the status line and headers, whatever the status; redirects are not followed. Rejects with
   * UpstreamError where there is no answer, with the signal's reason where it fired.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  gauge(): UpstreamGauge;
  /** Cuts every open call and socket. */
  close(): Promise<void>;
}

export interface UpstreamLimits {
  /**
   * Sockets an origin: about what one process can stream at once. With as many callers' sockets that is half of 4,096 descriptors,
   * the strictest usual hard limit, to which Node raises its own.
   */
  connections: number;
  /** Calls that may wait for a socket of an origin: a burst of four rounds, of mostly small bodies; each is held while it waits, hence the bound. */
  waiting: number;
  /**
   * Silence between two bytes of a body. Hosts that think send comments every 10 to 15 s; a minute is four of them
   * missed. What counts in mid-stream is the longer of this and the provider's own `timeout_ms`: an operator who grants
   * a slow host five minutes to its first byte grants it the same pauses later.
   */
  idleMs: number;
  /**
   * To a stream's first record, and from one to the next: comments keep idleMs away for ever. A host may think as long as a whole answer
   * may take, or as `timeout_ms` says where that is longer.
   */
  recordMs: number;
  /** A stream of records from its head to its end. */
  streamMs: number;
  connectMs: number;
  /** Origins beside those of the catalog file that answers of providers may point to at a time; a queue has one or two. */
  answeredOrigins: number;
}
