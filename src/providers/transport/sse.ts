// The parser of server-sent events: bytes in, records out, however the bytes were cut.
import { StringDecoder } from "node:string_decoder";
import { UpstreamError } from "../errors/upstream-error.ts";

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

/** Characters of one record: an image in a chunk is 1 to 2 MB of base64; anything larger is not an answer. */
const recordCharactersMax = 4_194_304;

export function openSseParser(maxCharacters: number = recordCharactersMax): SseParser {
  const decoder = new StringDecoder("utf8");
  const fields = openFields(maxCharacters);
  const line = openLine(maxCharacters);
  let first = true;
  let afterCr = false; // the last line ended in CR: a LF right after it belongs to it

  /** Where this text begins, past a byte order mark or the second half of a CRLF. */
  function beginning(text: string): number {
    if (text === "") return 0;
    const mark = first && text.charCodeAt(0) === 0xfeff ? 1 : 0;
    first = false;
    if (mark === text.length || !afterCr) return mark;
    afterCr = false;
    return text.charCodeAt(mark) === 10 ? mark + 1 : mark;
  }

  function push(text: string): SseRecord[] {
    const records: SseRecord[] = [];
    let from = beginning(text);
    let lf = text.indexOf("\n", from);
    let cr = text.indexOf("\r", from);
    while (lf !== -1 || cr !== -1) {
      const byCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = byCr ? cr : lf;
      const record = fields.take(line.finish(text.slice(from, end)));
      if (record) records.push(record);
      from = end + 1;
      if (byCr) {
        if (from === text.length) afterCr = true;
        else if (text.charCodeAt(from) === 10) from += 1;
        cr = text.indexOf("\r", from);
      }
      if (lf !== -1 && lf < from) lf = text.indexOf("\n", from);
    }
    if (from < text.length) line.keep(text.slice(from));
    return records;
  }

  return {
    push: (chunk) => push(decoder.write(chunk)),
    end() {
      const records = push(decoder.end());
      for (const rest of [line.finish(""), ""]) {
        const record = fields.take(rest);
        if (record) records.push(record);
      }
      return records;
    },
  };
}

/** Collects the unfinished line in pieces, so that a giant line is joined once instead of once a chunk. */
function openLine(maxCharacters: number) {
  let pieces: string[] = [];
  let characters = 0;
  return {
    keep(piece: string): void {
      pieces.push(piece);
      characters += piece.length;
      bound(characters, maxCharacters);
    },
    finish(last: string): string {
      if (pieces.length === 0) return last;
      const line = pieces.join("") + last;
      pieces = [];
      characters = 0;
      return line;
    },
  };
}

/** The fields of the record being read; a blank line completes it. */
function openFields(maxCharacters: number) {
  let event = "";
  let data: string | null = null;
  return {
    take(line: string): SseRecord | null {
      if (line.startsWith("data:")) {
        const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
        data = data === null ? value : `${data}\n${value}`;
        bound(data.length, maxCharacters);
      } else if (line === "") {
        const record = data === null ? null : { event, data };
        data = null;
        event = "";
        return record;
      } else if (line.startsWith("event:")) {
        event = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
      } else if (line === "data") {
        data = data === null ? "" : `${data}\n`;
        bound(data.length, maxCharacters);
      } // comments (a leading colon), id, retry and unknown fields are ignored
      return null;
    },
  };
}

function bound(characters: number, maxCharacters: number): void {
  if (characters > maxCharacters) throw new UpstreamError("unreadable", "one record of the stream is too large");
}
