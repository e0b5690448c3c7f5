// The one parser of server-sent events: bytes in, records out, however the bytes were cut.
// What a record's data means is the adapters' business.
import { StringDecoder } from "node:string_decoder";
import { UpstreamError } from "./types.ts";

export interface SseRecord {
  /** The `event:` field, or "". */
  event: string;
  /** All `data:` lines, joined by line feeds. */
  data: string;
}

export interface SseParser {
  push(chunk: Buffer): SseRecord[];
  /** The last record may come without its blank line. */
  end(): SseRecord[];
}

/** Characters of one record: an image in a chunk is 1 to 2 MB of base64; nothing larger is an answer. */
export const recordCharactersMax = 4_194_304;

export function openSseParser(maxCharacters: number = recordCharactersMax): SseParser {
  const decoder = new StringDecoder("utf8");
  /** The unfinished line in pieces, so that a giant line costs one joining and not one a chunk. */
  let pieces: string[] = [];
  let pieceCharacters = 0;
  let event = "";
  let data: string | null = null;
  let first = true;
  let afterCr = false; // the last line ended in CR: a LF right after it belongs to it

  function push(text: string): SseRecord[] {
    const records: SseRecord[] = [];
    let from = 0;
    if (text !== "" && first) {
      first = false;
      if (text.charCodeAt(0) === 0xfeff) from = 1;
    }
    if (afterCr && from < text.length) {
      afterCr = false;
      if (text.charCodeAt(from) === 10) from += 1;
    }
    let lf = text.indexOf("\n", from);
    let cr = text.indexOf("\r", from);
    while (lf !== -1 || cr !== -1) {
      const byCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = byCr ? cr : lf;
      takeLine(joined(text.slice(from, end)), records);
      from = end + 1;
      if (byCr) {
        if (from === text.length) afterCr = true;
        else if (text.charCodeAt(from) === 10) from += 1;
        cr = text.indexOf("\r", from);
      }
      if (lf !== -1 && lf < from) lf = text.indexOf("\n", from);
    }
    if (from < text.length) keep(from === 0 ? text : text.slice(from));
    return records;
  }

  function keep(piece: string): void {
    pieces.push(piece);
    pieceCharacters += piece.length;
    bound(pieceCharacters);
  }

  function joined(last: string): string {
    if (pieces.length === 0) return last;
    const line = pieces.join("") + last;
    pieces = [];
    pieceCharacters = 0;
    return line;
  }

  function takeLine(line: string, records: SseRecord[]): void {
    if (line === "") {
      if (data !== null) records.push({ event, data });
      data = null;
      event = "";
    } else if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
      data = data === null ? value : `${data}\n${value}`;
      bound(data.length);
    } else if (line.startsWith("event:")) {
      event = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
    } else if (line === "data") {
      data = data === null ? "" : `${data}\n`;
    } // comments (a colon first), id, retry and fields nobody knows are passed over
  }

  function bound(characters: number): void {
    if (characters > maxCharacters) throw new UpstreamError("unreadable", "one record of the stream is too large");
  }

  return {
    push: (chunk) => push(decoder.write(chunk)),
    end() {
      const records = push(decoder.end());
      takeLine(joined(""), records);
      takeLine("", records);
      return records;
    },
  };
}
