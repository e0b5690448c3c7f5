// The text of a JSON object on its way to an upstream: a string, or, where it is too big to be copied, its members as they lie in the
// bytes that came. What is edited in it is json-splice.ts's.
import { Readable } from "node:stream";
import type { UpstreamRequest } from "../transport/types.ts";

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

/** From here on a text is streamed: what undici is given whole it keeps until the last byte of the answer, and answers stream for minutes. */
const keptWholeMax = 32_768;

/** As a request's body. Pieces are written as they lie, never put together. */
export function sentOf(text: JsonText): UpstreamRequest["body"] {
  if (typeof text === "string" && text.length <= keptWholeMax) return text;
  const buffers = typeof text === "string" ? [Buffer.from(text)] : buffersOf(text);
  return { length: buffers.reduce((sum, { length }) => sum + length, 0), open: () => streamOf(buffers) };
}

/** What was read of it is held no more. */
function streamOf(buffers: readonly Buffer[]): Readable {
  const left = [...buffers];
  return new Readable({
    read() {
      this.push(left.shift() ?? null);
    },
  });
}

const [open, comma, close] = [Buffer.from("{"), Buffer.from(","), Buffer.from("}")] as const;

function buffersOf({ members }: JsonPieces): Buffer[] {
  const buffers = members.flatMap(({ head, value, tail }, index) => [index === 0 ? open : comma, head, value, tail]);
  if (members.length === 0) buffers.push(open);
  buffers.push(close);
  return buffers.filter(({ length }) => length > 0);
}
