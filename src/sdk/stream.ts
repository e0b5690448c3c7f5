// A streamed answer: yields the events one by one, throws errors, and never takes an early end for a whole answer.
import { costOf } from "./cost.ts";
import { SvcError } from "./error.ts";
import { errorFrom, failure, parsed } from "./fail.ts";
import { piecesOf, type Watch } from "./watch.ts";

/**
 * Events of an answer under way; `for await` reads them once. Leaving the loop, or `controller.abort()`, ends the request, and what was
 * made until then is charged. It throws a `SvcError`: `stream_interrupted` when the gateway says that the answer broke off, which is not
 * charged; `connection_failed`, also when it ends before its last event; `timeout`, `aborted`. Read it or abort it: an unread stream keeps
 * its connection.
 */
export interface Stream<T> extends AsyncIterable<T> {
  /** Ends the request; a loop over the stream then throws `aborted`. */
  readonly controller: AbortController;
  /**
   * What the answer cost in USD, once the event with the cost has arrived; null until then. Chat and completions send it in a last record
   * without choices; it is asked for unless you set `stream_options`.
   */
  readonly cost: number | null;
}

/** The last events of chat, messages and responses; `[DONE]` ends the others. */
const lastTypes = ["message_stop", "response.completed", "response.incomplete", "response.failed"];

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
          // Reads to the end of the body: only then can its connection be reused.
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
      // The answer was complete before the connection broke: a caller who saw a failure would repeat the request and pay again.
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
      if (taken) throw new TypeError("svc-sdk: a stream can be read once.");
      taken = true;
      return events();
    },
  };
}

// Parses server-sent events from bytes, however they were split.

/** One event as it was sent; `data` of several lines is joined. */
export interface ServerEvent {
  /** Its name; empty if it has none. */
  event: string;
  data: string;
}

/** The most characters of one event: 64 million. */
const longest = 64_000_000;

/**
 * Reads events as the standard says: lines end with CR, LF or CRLF, a BOM at the start is dropped, comments and unknown fields are
 * passed over, and an event that no empty line closed is not one.
 */
export async function* eventsOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest: string[] = []; // a line whose end has not arrived
  let size = 0;
  let afterReturn = false; // the LF of a CRLF may begin the next chunk
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
