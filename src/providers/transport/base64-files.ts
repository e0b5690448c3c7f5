// Files that an answer carries as base64 or hexadecimal: taken out of its bytes before the rest is parsed, so that tens of megabytes are never a string,
// and decoded where they lie. What the answer says is the adapters' business.
import { randomUUID } from "node:crypto";
import { parseJson } from "../../json/parse.ts";
import { UpstreamError } from "../errors/upstream-error.ts";

export interface FilesInside {
  /** The answer with a short word in place of each long string. */
  text: string;
  /** The file that a string of the parsed answer is: base64, bare or as a data URL. Null: it is neither. To be asked once a string. */
  fileOf(value: string): InsideFile | null;
  /** The bytes that a string of the parsed answer is in hexadecimal; null: it is not. To be asked once a string. */
  hexOf(value: string): Buffer | null;
}

export interface InsideFile {
  bytes: Buffer;
  /** Of a data URL. */
  contentType: string | null;
}

/** Answers with files: four pictures of 2048 x 2048 pixels that no format makes smaller are 67 MB of base64, of 24 MB each this much. */
export const filesBytesMax = 134_217_728;

/** Below it a string is cheaper as it is. */
const longFrom = 4_096;
/** Of the rest: lists of files with all that hosts say of them take some kilobytes. Parsed it takes many times its length. */
const restCharactersMax = 2_097_152;
const quote = 34; // "
const backslash = 92;

/** Works on the bytes it is given: the files are views of them. Throws UpstreamError for more than files and their description. */
export function takeFilesOut(body: Buffer): FilesInside {
  const mark = randomUUID();
  const long = new Map<string, { from: number; to: number }>();
  let text = "";
  let copied = 0;
  for (let open = body.indexOf(quote); open !== -1;) {
    const close = stringEnd(body, open);
    if (close === -1) break; // no JSON: the parser will say so
    if (close - open > longFrom) {
      const word = `${mark}:${long.size}`;
      long.set(word, { from: open + 1, to: close });
      text += body.toString("utf8", copied, open + 1) + word;
      copied = close;
      assertShort(text.length);
    }
    open = body.indexOf(quote, close + 1);
  }
  assertShort(text.length + body.length - copied);
  text += body.toString("utf8", copied);
  return {
    text,
    fileOf(value) {
      const place = long.get(value);
      if (place) return fileAt(body, place.from, place.to);
      const own = Buffer.from(value, "latin1");
      return fileAt(own, 0, own.length);
    },
    hexOf(value) {
      const place = long.get(value);
      if (place) return hexInPlace(body, place.from, place.to);
      const own = Buffer.from(value, "latin1");
      return hexInPlace(own, 0, own.length);
    },
  };
}

function assertShort(characters: number): void {
  if (characters > restCharactersMax) throw new UpstreamError("unreadable", "the answer holds too much beside files", { status: 200 });
}

function stringEnd(body: Buffer, open: number): number {
  for (let at = body.indexOf(quote, open + 1); at !== -1; at = body.indexOf(quote, at + 1)) {
    let first = at;
    while (first - 1 > open && body[first - 1] === backslash) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}

function fileAt(body: Buffer, from: number, to: number): InsideFile | null {
  // Not beyond its end: an answer of thousands of strings would be walked through as often.
  if (body.subarray(from, to).includes(backslash)) return fileOfEscaped(body.toString("utf8", from, to));
  const head = /^data:([^;,]*)[^,]*;base64,/i.exec(body.toString("latin1", from, Math.min(to, from + 200)));
  const bytes = decodeInPlace(body, from + (head?.[0].length ?? 0), to);
  return bytes && { bytes, contentType: head?.[1] || null };
}

/** PHP writes each slash of base64 as `\/`, others break its lines: rare, so that copies are no matter. */
function fileOfEscaped(text: string): InsideFile | null {
  let plain: Buffer;
  try {
    plain = Buffer.from((parseJson(`"${text}"`) as string).replace(/\s+/g, ""), "latin1");
  } catch {
    return null;
  }
  return plain.includes(backslash) ? null : fileAt(plain, 0, plain.length);
}

/** Four characters at least are read before three bytes are written over them. */
function decodeInPlace(body: Buffer, from: number, to: number): Buffer | null {
  let end = to;
  while (end > from && end > to - 2 && body[end - 1] === 61) end -= 1; // =
  let out = from;
  for (let at = from; at < end; at += 65_536) out += body.write(body.toString("latin1", at, Math.min(end, at + 65_536)), out, "base64");
  // Decoding passes over what is no base64, so that some bytes are missing then.
  const whole = out - from === Math.floor(((end - from) * 3) / 4) && (end - from) % 4 !== 1;
  return whole && out > from ? body.subarray(from, out) : null;
}

/** Two characters at least are read before one byte is written over them. */
function hexInPlace(body: Buffer, from: number, to: number): Buffer | null {
  let out = from;
  for (let at = from; at < to; at += 65_536) out += body.write(body.toString("latin1", at, Math.min(to, at + 65_536)), out, "hex");
  return (out - from) * 2 === to - from ? body.subarray(from, out) : null; // decoding ends at the first that is none
}
