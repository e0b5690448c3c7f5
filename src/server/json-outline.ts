// Finds positions in the bytes of a parsed JSON object: of its members, which are forwarded without a copy, and of its long strings,
// which are decoded only when they are read. One walk in linear time; doesn't check the grammar.
import { parseJson } from "../json/parse.ts";

/** A range of bytes; `to` is behind the last one. */
interface Span {
  from: number;
  to: number;
}

interface MemberSpan extends Span {
  key: Span;
  value: Span;
}

export interface StringSpan extends Span {
  path: (string | number)[];
}

export interface Outline {
  members: MemberSpan[];
  /** Values of at least this many bytes, in the order of the text. */
  strings: StringSpan[];
}

/** An object or array that is open; `key` is null in an array. */
interface Frame {
  isArray: boolean;
  index: number;
  key: Span | null;
  /** The next string of an object is a key. */
  keyFollows: boolean;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

export function outlineOf(bytes: Buffer, longBytes: number): Outline {
  const outline: Outline = { members: [], strings: [] };
  const frames: Frame[] = [];
  let member = 0;
  let value = 0;
  const endMember = (to: number, { key }: Frame) => {
    if (key !== null) outline.members.push({ from: member, to, key, value: trimmed(bytes, value, to) });
    member = to + 1;
  };
  for (let at = 0; at < bytes.length; at += 1) {
    const unit = bytes[at]!;
    if (unit <= 0x20 || unit > closeBrace) continue;
    const frame = frames.at(-1);
    if (unit === quote) {
      const span = { from: at, to: stringEnd(bytes, at) + 1 };
      if (frame!.keyFollows) frame!.key = span;
      else if (span.to - at >= longBytes) outline.strings.push({ ...span, path: pathOf(bytes, frames) });
      at = span.to - 1;
    } else if (unit === colon) {
      frame!.keyFollows = false;
      if (frames.length === 1) value = at + 1;
    } else if (unit === comma) {
      if (frames.length === 1) endMember(at, frame!);
      frame!.index += 1;
      frame!.keyFollows = !frame!.isArray;
    } else if (unit === openBrace || unit === openBracket) {
      const isArray = unit === openBracket;
      frames.push({ isArray, index: 0, key: null, keyFollows: !isArray });
      if (frames.length === 1) member = at + 1;
    } else if (unit === closeBrace || unit === closeBracket) {
      if (frames.length === 1) endMember(at, frame!);
      frames.pop();
    }
  }
  return outline;
}

function pathOf(bytes: Buffer, frames: readonly Frame[]): (string | number)[] {
  return frames.map(({ isArray, index, key }) => (isArray ? index : stringAt(bytes, key!)));
}

/** The string between two quotes. */
export function stringAt(bytes: Buffer, { from, to }: Span): string {
  const inside = bytes.subarray(from + 1, to - 1);
  return inside.includes(backslash) ? (parseJson(`"${inside.toString()}"`) as string) : inside.toString();
}

function trimmed(bytes: Buffer, from: number, to: number): Span {
  while (bytes[from]! <= 0x20) from += 1;
  while (bytes[to - 1]! <= 0x20) to -= 1;
  return { from, to };
}

/** The closing quote: the search jumps at memory speed, only backslashes right before a quote are checked one by one. */
function stringEnd(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(quote, open + 1); ; at = bytes.indexOf(quote, at + 1)) {
    let first = at;
    while (bytes[first - 1] === backslash) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
}
