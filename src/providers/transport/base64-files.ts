// Takes files in base64 or hexadecimal out of an answer's bytes before the rest is parsed, so that tens of megabytes never become a
// string, and decodes them in place.
import { randomUUID } from "node:crypto";
import { parseJson } from "../../json/parse.ts";
import { UpstreamError } from "../errors/upstream-error.ts";

export interface FilesInside {
  /** The answer with a short placeholder for each long string. */
  text: string;
  /** The file that a string of the parsed answer stands for: base64, bare or as a data URL. Null where it is neither. Call it once per string. */
  fileOf(value: string): InsideFile | null;
  /** The bytes that a string of the parsed answer stands for in hexadecimal; null where it is not. Call it once per string. */
  hexOf(value: string): Buffer | null;
}

interface InsideFile {
  bytes: Buffer;
  /** From a data URL. */
  contentType: string | null;
}

/** Four images of 2048 x 2048 pixels that don't compress are 67 MB of base64; images of 24 MB each reach this bound. */
export const filesBytesMax = 134_217_728;

/** Shorter strings are cheaper left in place. */
const longFrom = 4_096;
/** Bound of the remaining text: lists of files take some kilobytes, and parsed text takes many times its length. */
const restCharactersMax = 2_097_152;
const quote = 34; // "
const backslash = 92;

/** Decodes in the buffer that it is given: the files are views of it. Throws UpstreamError where the rest is too large. */
export function takeFilesOut(body: Buffer): FilesInside {
  const mark = randomUUID();
  const long = new Map<string, { from: number; to: number }>();
  let text = "";
  let copied = 0;
  for (let open = body.indexOf(quote); open !== -1;) {
    const close = stringEnd(body, open);
    if (close === -1) break; // no JSON: the parser reports it
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
  // Stops at the string's end: searching on to the answer's end would be quadratic in the number of strings.
  if (body.subarray(from, to).includes(backslash)) return fileOfEscaped(body.toString("utf8", from, to));
  const head = /^data:([^;,]*)[^,]*;base64,/i.exec(body.toString("latin1", from, Math.min(to, from + 200)));
  const bytes = decodeInPlace(body, from + (head?.[0].length ?? 0), to);
  return bytes && { bytes, contentType: head?.[1] || null };
}

/** PHP writes each slash of base64 as `\/`, others break lines. Rare, so copying is fine. */
function fileOfEscaped(text: string): InsideFile | null {
  let plain: Buffer;
  try {
    plain = Buffer.from((parseJson(`"${text}"`) as string).replace(/\s+/g, ""), "latin1");
  } catch {
    return null;
  }
  return plain.includes(backslash) ? null : fileAt(plain, 0, plain.length);
}

/** Safe in place: four characters are read before three bytes overwrite them. */
function decodeInPlace(body: Buffer, from: number, to: number): Buffer | null {
  let end = to;
  while (end > from && end > to - 2 && body[end - 1] === 61) end -= 1; // =
  let out = from;
  for (let at = from; at < end; at += 65_536) out += body.write(body.toString("latin1", at, Math.min(end, at + 65_536)), out, "base64");
  // Decoding skips characters that are not base64, so bytes are missing then.
  const whole = out - from === Math.floor(((end - from) * 3) / 4) && (end - from) % 4 !== 1;
  return whole && out > from ? body.subarray(from, out) : null;
}

/** Safe in place: two characters are read before one byte overwrites them. */
function hexInPlace(body: Buffer, from: number, to: number): Buffer | null {
  let out = from;
  for (let at = from; at < to; at += 65_536) out += body.write(body.toString("latin1", at, Math.min(to, at + 65_536)), out, "hex");
  return (out - from) * 2 === to - from ? body.subarray(from, out) : null; // decoding stops at the first character that is not hexadecimal
}
