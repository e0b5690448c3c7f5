// A streamed answer: the events one by one, errors thrown, and an early end never taken for a whole answer.
import { costOf } from "./cost.ts";
import { SvcError } from "./error.ts";
import { errorFrom, failure, parsed } from "./fail.ts";
import { piecesOf, type Watch } from "./watch.ts";

/**
 * Events of a streamed answer; read them once with `for await`. Leaving the loop, or `controller.abort()`, ends the request; what was
 * generated until then is charged. The stream throws a `SvcError`: `stream_interrupted` if the gateway reports that the answer was
 * interrupted; `connection_failed`, also if it ends before its last event; `timeout`, `aborted`. Read or abort every
 * stream: an unread stream keeps its connection.
 */
export interface Stream<T> extends AsyncIterable<T> {
  /** Ends the request; a loop over the stream then throws `aborted`. */
  readonly controller: AbortController;
  /**
   * Cost of the answer in USD, after the event that contains it; null until then. Chat and completions send it in a last chunk without
   * choices; the client requests that chunk unless you set `stream_options`.
   */
  readonly cost: number | null;
}

/** The last events of messages, responses and transcripts; `[DONE]` ends the others. */
const lastTypes = ["message_stop", "response.completed", "response.incomplete", "response.failed", "transcript.text.done"];

/** For routes whose answer may be server-sent events. */
export function stream<T>(response: Response, watched: Watch, type: string): Stream<T> | undefined {
  if (!type.startsWith("text/event-stream")) return undefined;
  let cost: number | null = null;
  let taken = false;
  async function* events(): AsyncGenerator<T, void, undefined> {
    let ended = false;
    try {
      for await (const { data } of eventsOf(piecesOf(response, watched))) {
        if (ended || data === "[DONE]") {
          // Read on to the end of the body: only then can its connection serve again.
          ended = true;
          continue;
        }
        const value = parsed(data, response);
        const { type, error } = Object(value) as { type?: unknown; error?: unknown };
        if (type === "error" || (error != null && type === undefined)) throw errorFrom(value, response, null);
        cost = costOf(value) ?? cost;
        yield value as T;
        ended = lastTypes.includes(type as string);
      }
    } catch (error) {
      // The answer was whole before the connection broke off: who is told of a failure asks and pays again.
      if (!ended) throw error;
    }
    if (!ended) throw failure(response, { message: "The stream ended before its last event.", code: "connection_failed", retryable: true });
  }
  return {
    controller: watched.controller,
    get cost() {
      return cost;
    },
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError("svc-sdk: a stream can be read only once.");
      taken = true;
      return events();
    },
  };
}

// Server-sent events out of bytes, however they were cut on the way.

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
