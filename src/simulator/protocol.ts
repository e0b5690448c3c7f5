// What a protocol gives the simulator: its paths, its error envelope, and plans of answers as plain data.
// How a plan is sent, delayed or broken is the same for all protocols and stands in send.ts.
import type { IncomingHttpHeaders } from "node:http";
import type { Directives } from "./directive-list.ts";
import { hasFault } from "./directives.ts";
import { type Refusal, refuse } from "./request-fields.ts";

/** Everything that follows from a request alone; kept and played again when the same bytes come back. */
export interface Plan {
  /** The model id as the request named it; null where the operation has none. */
  model: string | null;
  directives: Directives;
  reply: WholeReply | StreamReply | FileReply | PiecesReply;
  /** In place of the protocol's own, for an operation whose refusals have other words. */
  rewordRefusal?(refusal: Refusal): Refusal;
  /** Done when the answer is sent, and not where a fault replaces it. */
  takeEffect?(): void;
  /** What a form consisted of, for the record of calls. */
  parts?: readonly SentPart[];
  /** Absent: a unit of input. */
  bill?: HostBill;
  /** Roughly what it holds in memory; the simulator keeps light plans only. */
  bytes: number;
}

/** What a host bills for an answer. */
export interface HostBill {
  input: number;
  /** Web searches, all at the first moment; absent: none. */
  searches?: number;
  /** Generated from the first moment on: a whole answer, or what a stream doesn't show. */
  output: number;
  /** Generated with a record of a stream. */
  tokensIn?(record: string): number;
}

export interface WholeReply {
  kind: "whole";
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface StreamReply {
  kind: "stream";
  /** The data of each record, made while it is sent: a stream may be larger than memory. */
  records(): Iterable<string>;
  /** The data of the record that ends a stream properly; null: it ends without one. */
  terminator: string | null;
}

/** Bytes that may be more than memory holds. */
export interface FileReply {
  kind: "file";
  status: number;
  headers: Record<string, string>;
  pieces(): Iterable<Buffer>;
}

/** Bytes that come as they are made, each piece on its own; without a length. */
export interface PiecesReply {
  kind: "pieces";
  headers: Record<string, string>;
  pieces(): Iterable<Buffer>;
}

/** A part of a multipart form: a field has a text, a file a name and a type. */
export interface SentPart {
  name: string;
  text: string | null;
  fileName: string | null;
  contentType: string | null;
  bytes: number;
}

/** `variant` is what the protocol reads off the headers, empty where it reads nothing. */
export type Operation = (body: Buffer, variant: string) => Plan;

/** A request as an operation sees it whose answer follows from more than its bytes. */
export interface Ask {
  method: string;
  /** Below the protocol's prefix, as it was sent. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The address of the prefix by the Host that was asked for: `http://HOST:PORT/fal`. */
  base: string;
}

/** An operation with a state, or with answers that depend on headers: no plan of it is kept. */
export type LiveOperation = (ask: Ask) => Plan | Promise<Plan>;

export interface SimulatorProtocol {
  name: string;
  /** The path prefixes it answers under, longest first. */
  prefixes: readonly string[];
  /** The operation of a path below the prefix; null where the protocol has none. */
  findOperation(method: string, path: string): Operation | null;
  /** Asked first. */
  findLive?(method: string, path: string): LiveOperation | null;
  /** What it takes of a body, in bytes; absent: as much as any (simulator.ts). */
  bodyBytesMax?(path: string): number | undefined;
  /** Headers of every answer. */
  headers?: Readonly<Record<string, string>>;
  /** What of the headers decides an answer; a plan is kept for each. */
  readVariant?(headers: IncomingHttpHeaders): string;
  /** A fault in the words and under the status that hosts of this protocol have for it. */
  rewordRefusal?(refusal: Refusal): Refusal;
  /** A refusal in the protocol's own envelope, as JSON text. */
  renderRefusal(refusal: Refusal): string;
  /** The name a record is sent under, as `event:`; absent: records have none. */
  eventName?(data: string): string;
  /** A record as bytes, where streams are not server-sent events. */
  frame?(data: string): Buffer;
  /** The content type of such streams. */
  streamType?: string;
  /** Nothing follows an error inside a stream, not even the terminator. */
  errorEndsStream?: boolean;
}

export function jsonReply(status: number, text: string, headers: Record<string, string> = {}): WholeReply {
  const body = Buffer.from(text);
  return {
    kind: "whole",
    status,
    body,
    headers: { "content-type": "application/json", "content-length": String(body.length), ...headers },
  };
}

/** Of an answer that no model makes, such as a list or a token. */
export function planFields(fields: object, status = 200): Plan {
  const reply = jsonReply(status, JSON.stringify(fields));
  return { model: null, directives: {}, reply, bytes: reply.body.length };
}

// From an answer's words to a plan, whole or streamed: what is kept for the next time, and what is too much.

/** A stream up to here is made once and kept as text; a longer one is made anew as it is sent. */
const keptTokensMax = 1000;
/** A record's JSON, roughly. */
const bytesPerRecord = 300;
/** An answer in one piece is held in memory; the records of a stream aren't. */
const wholeBytesMax = 64 * 1024 * 1024;

interface Answered {
  model: string;
  directives: Directives;
  stream: boolean;
  tokens: number;
  /** What a record carries beside the usual. */
  extraBytesPerToken: number;
  /** The whole document, as JSON text. */
  whole(): string;
  records(): Iterable<string>;
  terminator: string | null;
  inputTokens: number;
  searches?: number;
  /** Those that no record shows. */
  hiddenTokens: number;
  /** Of one record. */
  tokensIn(record: string): number;
}

export function planAnswer({
  model,
  directives,
  stream,
  tokens,
  extraBytesPerToken,
  whole,
  records,
  terminator,
  ...billing
}: Answered): Plan {
  const output = stream ? billing.hiddenTokens : (directives.completionTokens ?? tokens);
  const bill: HostBill = {
    input: directives.promptTokens ?? billing.inputTokens,
    searches: billing.searches ?? 0,
    output,
    tokensIn: billing.tokensIn,
  };
  const bytes = tokens * Math.max(directives.bigBytes ?? 0, bytesPerRecord + extraBytesPerToken);
  if (!stream) {
    if (bytes > wholeBytesMax) refuse("model", "An answer of more than 64 MB can only be streamed.");
    return { model, directives, reply: jsonReply(200, whole()), bill, bytes };
  }
  const keeps = tokens <= keptTokensMax && directives.bigBytes === undefined && !hasFault(directives);
  let kept: string[] | null = null;
  return {
    model,
    directives,
    reply: { kind: "stream", records: () => (keeps ? (kept ??= [...records()]) : records()), terminator },
    bill,
    bytes,
  };
}
