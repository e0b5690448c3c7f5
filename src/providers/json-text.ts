// The text of a JSON object on its way to an upstream: a string, or, where it is too big to be copied, its members as they lie in the
// bytes that came. What is edited in it is json-splice.ts's.
import { Readable } from "node:stream";
import type { UpstreamRequest } from "./http.ts";

export type JsonText = string | JsonPieces;

/** In the order that they were sent; white space outside the braces is left out. */
export interface JsonPieces {
  members: readonly JsonPiece[];
}

/** All between two separators: `head` ends before the value, `tail` is the white space behind it. */
export interface JsonPiece {
  key: string;
  head: Buffer;
  value: Buffer;
  tail: Buffer;
}

/** The whole text, for those who read it: a copy where it came in pieces. */
export function wholeOf(text: JsonText): string {
  return typeof text === "string" ? text : Buffer.concat(buffersOf(text)).toString();
}

/** As a request's body. Pieces are written as they lie, never put together. */
export function sentOf(text: JsonText): UpstreamRequest["body"] {
  if (typeof text === "string") return text;
  const buffers = buffersOf(text);
  return { length: buffers.reduce((sum, { length }) => sum + length, 0), open: () => Readable.from(buffers) };
}

const [open, comma, close] = [Buffer.from("{"), Buffer.from(","), Buffer.from("}")] as const;

function buffersOf({ members }: JsonPieces): Buffer[] {
  const buffers = members.flatMap(({ head, value, tail }, index) => [index === 0 ? open : comma, head, value, tail]);
  if (members.length === 0) buffers.push(open);
  buffers.push(close);
  return buffers.filter(({ length }) => length > 0);
}
