// Reads an upstream's server-sent events as a stream of a dialect: when it begins, and how it ends. The dialect's StreamReader knows what
// a record means and in which order records go out.
import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { slowReaderFault, UpstreamError } from "../errors/upstream-error.ts";
import type { Usage } from "../../usage.ts";
import type { AnswerStream, Tally, UpstreamCall } from "../types.ts";
import { inOrder, type Outlet } from "./outlet.ts";
import { unreadable } from "./json.ts";
import type { UpstreamAnswer } from "./types.ts";

/** The body ends right after the answer's end; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

/** How a dialect reads its records. */
export interface StreamReader<Rec, Shown extends Tally> {
  outlet: Outlet<Rec>;
  tally: Shown;
  /** Absent: the body is server-sent events. */
  parser?: RecordParser;
  /** Hands on what the record says, its end included. Throws UpstreamError where it is an error or can't be understood. */
  take(record: SseRecord): void | Promise<void>;
  /** Whether nothing has been received yet. */
  isEmpty(): boolean;
  /** Whether the answer is complete, even if its end marker is missing. */
  isWhole(): boolean;
  /** Ends a complete answer. */
  finish(): void | Promise<void>;
}

/**
 * Resolves when the answer has begun, or `startAfterMs` after the headers, because a host that thinks for long has still accepted the
 * call (docs/behaviour/streams.md#framing). Rejects where the stream fails before that.
 */
export async function readStream<Rec, Shown extends Tally>(
  { body }: UpstreamAnswer,
  open: (onEnd: () => void) => StreamReader<Rec, Shown>,
  { signal, disconnect }: Pick<UpstreamCall, "signal" | "disconnect">,
  startAfterMs: number,
): Promise<AnswerStream<Rec, Shown>> {
  let linger: NodeJS.Timeout | undefined;
  const reader = open(() => (linger = setTimeout(body.cancel, lingerMs).unref()));
  const { outlet, tally } = reader;
  const timer = setTimeout(outlet.start, startAfterMs);
  // No other route follows once the caller has disconnected.
  if (disconnect?.stopUpstream.aborted) outlet.start();
  else disconnect?.stopUpstream.addEventListener("abort", outlet.start, { once: true });
  void readToEnd(body, reader).finally(() => clearTimeout(linger)); // it would keep the whole call, and find nothing to cancel
  try {
    await outlet.started();
  } finally {
    clearTimeout(timer);
  }
  return {
    kind: "stream",
    tally,
    cancel: body.cancel,
    forEach: (onRecord) =>
      outlet.forEach(onRecord, signal).catch((error: unknown) => {
        body.cancel(); // for a listener that threw; after a broken socket it changes nothing
        throw error;
      }),
  };
}

/** Reads the body and tells the outlet how it went; never rejects. */
async function readToEnd<Rec, Shown extends Tally>(body: UpstreamAnswer["body"], reader: StreamReader<Rec, Shown>): Promise<void> {
  const { outlet } = reader;
  const parser = reader.parser ?? openSseParser();
  let told: unknown = null; // what a record or its listener threw, as opposed to the socket
  const tell = (error: unknown) => {
    told = error;
    throw error;
  };
  const heard = body.timeRecords();
  const takeOne = (record: SseRecord) => {
    if (outlet.ended) return;
    try {
      const pending = reader.take(record)?.catch(tell);
      heard(pending);
      return pending;
    } catch (error) {
      return tell(error);
    }
  };
  try {
    await body.read((chunk) => inOrder(parser.push(chunk), takeOne));
    await inOrder(parser.end(), takeOne);
    if (outlet.ended) return;
    // Without its end a stream is interrupted, however cleanly the socket closed (docs/behaviour/streams.md#interrupted).
    if (!reader.isWhole())
      throw reader.isEmpty() ? unreadable("the stream is empty") : body.keptWaiting() ? slowReaderFault(endedEarly()) : endedEarly();
    await reader.finish();
  } catch (error) {
    if (outlet.ended) return;
    // The socket broke after the answer was complete.
    if (told === null && error instanceof UpstreamError && reader.isWhole()) await finishOrFail(reader);
    else outlet.fail(error);
  }
}

async function finishOrFail<Rec, Shown extends Tally>(reader: StreamReader<Rec, Shown>): Promise<void> {
  try {
    await reader.finish();
  } catch (error) {
    reader.outlet.fail(error);
  }
}

export function endedEarly(): UpstreamError {
  const detail = "the stream ended too early";
  return new UpstreamError("unavailable", detail, { status: 200, failure: { cause: "ended_early", detail } });
}

// Server-sent events: bytes in, records out, however the bytes were cut. The parsing is eventsource-parser's; owned here are the bytes'
// decoding and the bound. What a record's data means is the adapters' business.

export interface SseRecord {
  /** The `event:` field, or "". */
  event: string;
  /** All `data:` lines, joined by line feeds. */
  data: string;
}

/** Of server-sent events, or of another framing whose records it turns into the same form. */
export interface RecordParser {
  push(chunk: Buffer): SseRecord[];
  /** The last record may come without its blank line. */
  end(): SseRecord[];
}

/** Characters of one record: an image in a chunk is 1 to 2 MB of base64; anything larger is not an answer. */
export const recordCharactersMax = 4_194_304;

export function openSseParser(maxCharacters: number = recordCharactersMax): RecordParser {
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

// Replays a whole answer as a stream, for a host that ignored `stream: true`. The dialect cuts it into records.

export interface Piece<Rec> {
  record: Rec;
  /** Of content, reasoning and arguments, for the tally. */
  characters: number;
}

/** Everything is known before the first piece goes out. */
export function replayedTally(usage: Usage | null): Tally {
  const covered = { deltas: Infinity, characters: Infinity };
  return { usage, deltas: 0, characters: 0, prompt: null, covered, finished: true, ended: Infinity, reasoned: true };
}

export function newTally(): Tally {
  const covered = { deltas: 0, characters: 0 };
  return { usage: null, deltas: 0, characters: 0, prompt: null, covered, finished: false, ended: 0, reasoned: false };
}

/** The upstream reported its usage so far. */
export function cover(tally: Tally, usage: Usage | null): void {
  if (usage === null) return;
  tally.usage = usage;
  tally.covered = { deltas: tally.deltas, characters: tally.characters };
}

/** `tally` starts with 0 deltas and characters: they count what was handed on. */
export function replayStream<Rec, Shown extends Tally>(
  pieces: readonly Piece<Rec>[],
  tally: Shown,
  signal: AbortSignal,
): AnswerStream<Rec, Shown> {
  let cancelled = false;
  return {
    kind: "stream",
    tally,
    cancel: () => (cancelled = true),
    async forEach(onRecord) {
      for (const { record, characters } of pieces) {
        signal.throwIfAborted();
        if (cancelled) throw new DOMException("The upstream call was cancelled.", "AbortError");
        tally.characters += characters;
        if (characters > 0) tally.deltas += 1;
        await onRecord(record);
      }
    },
  };
}
