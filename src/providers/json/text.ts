// The text of a JSON object on its way to an upstream: a string, or, where it is too big to copy, its members as slices of the received
// bytes. splice.ts edits it.
import { Readable } from "node:stream";
import type { UpstreamRequest } from "../transport/types.ts";

export type JsonText = string | JsonPieces;

/** In the order sent; white space outside the braces is left out. */
export interface JsonPieces {
  members: readonly JsonPiece[];
}

/** Everything between two separators: `head` ends before the value, `tail` is the white space after it. */
export interface JsonPiece {
  key: string;
  head: Buffer;
  value: Buffer;
  tail: Buffer;
}

/** The whole text, copied together where it came in pieces. */
export function wholeOf(text: JsonText): string {
  return typeof text === "string" ? text : Buffer.concat(buffersOf(text)).toString();
}

/** Longer texts are streamed: undici keeps a whole body until the last byte of the answer, and answers stream for minutes. */
const keptWholeMax = 32_768;

/** The text as a request's body. Pieces are written one by one, never joined. */
export function sentOf(text: JsonText): UpstreamRequest["body"] {
  if (typeof text === "string" && text.length <= keptWholeMax) return text;
  const buffers = typeof text === "string" ? [Buffer.from(text)] : buffersOf(text);
  return { length: buffers.reduce((sum, { length }) => sum + length, 0), open: () => streamOf(buffers) };
}

/** Lets go of each buffer once it is read. */
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
