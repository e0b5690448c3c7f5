// Server-sent events: bytes in, records out, however the bytes were cut. The parsing is eventsource-parser's; owned here are the bytes'
// decoding and the bound. What a record's data means is the adapters' business.
import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
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
  // TextDecoder would take the byte order mark off by itself, but decodes small chunks at half the speed.
  const decoder = new StringDecoder("utf8");
  let records: SseRecord[] = [];
  let atStart = true;
  const parser = createParser({
    maxBufferSize: maxCharacters,
    onEvent: ({ event = "", data }) => void records.push({ event, data }),
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") throw new UpstreamError("unreadable", "one record of the stream is too large");
    },
  });
  const feed = (text: string) => {
    if (text === "") return [];
    parser.feed(atStart && text.startsWith("\uFEFF") ? text.slice(1) : text);
    atStart = false;
    const complete = records;
    records = [];
    return complete;
  };
  return {
    push: (chunk) => feed(decoder.write(chunk)),
    // Two line ends: one may belong to the last line.
    end: () => feed(`${decoder.end()}\n\n`),
  };
}
