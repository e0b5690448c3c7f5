// Server-sent events out of bytes, however they were cut on the way.
import { SvcError } from "./error.ts";

/** One event as it was sent; `data` of several lines is joined. */
export interface ServerEvent {
  /** Its name; empty where it has none. */
  event: string;
  data: string;
}

/** Most characters that one event may have: 64 million. */
const longest = 64_000_000;

/**
 * Reads events as the standard says: lines end with CR, LF or CRLF, a BOM at the start is dropped, comments and unknown fields are
 * passed over, and an event that no empty line closed is not one.
 */
export async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest: string[] = []; // a line of which the end has not come
  let size = 0;
  let afterReturn = false; // the LF of a CRLF may open the next piece
  let event = "";
  let data: string[] = [];
  for await (const piece of pieces) {
    let text = decoder.decode(piece, { stream: true });
    if (text === "") continue;
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text === "" ? false : text.endsWith("\r");
    size += text.length;
    if (size > longest) throw new SvcError({ message: "An event of the stream is too long.", code: "unexpected_answer" });
    const lines = text.split(/\r\n|\r|\n/);
    if (lines.length === 1) {
      rest.push(text);
      continue;
    }
    lines[0] = rest.join("") + lines[0]!;
    rest = [lines.pop()!];
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { event, data: data.join("\n") };
        event = "";
        data = [];
        size = 0;
        continue;
      }
      const [, name, value = ""] = /^([^:]*)(?:: ?([^]*))?$/.exec(line)!;
      if (name === "data") data.push(value);
      else if (name === "event") event = value;
    }
  }
}
