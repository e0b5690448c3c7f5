// What a protocol gives the simulator: its paths, its error envelope, and plans of answers as plain data.
// How a plan is sent, delayed or broken is the same for all protocols and stands in send.ts.
import type { IncomingHttpHeaders } from "node:http";
import type { Knobs } from "./knobs.ts";
import type { Refusal } from "./refused.ts";

/** Everything that follows from a request alone; kept and played again when the same bytes come back. */
export interface Plan {
  /** The model id as the request named it; null where the operation has none. */
  model: string | null;
  knobs: Knobs;
  reply: WholeReply | StreamReply;
  /** Roughly what it holds in memory; the simulator keeps light plans only. */
  bytes: number;
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
  /** The data of the record that ends a stream properly. */
  terminator: string;
}

/** `variant` is what the protocol reads off the headers, empty where it reads nothing. */
export type Operation = (body: Buffer, variant: string) => Plan;

export interface SimulatorProtocol {
  name: string;
  /** The path prefixes it answers under, longest first. */
  prefixes: readonly string[];
  /** The operation of a path below the prefix; null where the protocol has none. */
  findOperation(method: string, path: string): Operation | null;
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
