// A chat answer that streams: when it has begun, in which order its records go out, and how it ended.
// What one record means is record-reader.ts's.
import type { Clock } from "../../clock.ts";
import type { UpstreamAnswer } from "../http.ts";
import { openSseParser, type SseRecord } from "../sse.ts";
import { UpstreamError, type ChatCall, type ChatRecord, type ChatStream } from "../types.ts";
import { allEnded, beginChunks, newChunkState, type ChunkState } from "./chunk.ts";
import { openOutlet, type Outlet } from "../outlet.ts";
import { openRecordReader, type RecordReader } from "./record-reader.ts";

/** The end of the body follows [DONE] at once; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

/**
 * Resolves when the first record is here (a role alone is one), or `startAfterMs` after the headers (WIRE.md 10.3: a few seconds),
 * because a host that thinks for long has still accepted the call. Rejects where the stream fails before that.
 */
export async function openChatStream(answer: UpstreamAnswer, call: ChatCall, clock: Clock, startAfterMs: number): Promise<ChatStream> {
  const state = newChunkState(call.publicModel);
  const outlet = openOutlet<ChatRecord>(
    () => beginChunks(state, {}, clock),
    () => void setTimeout(answer.body.cancel, lingerMs).unref(),
  );
  const timer = setTimeout(outlet.start, startAfterMs);
  void run(answer, state, openRecordReader(state, call.route.provider, clock), outlet);
  try {
    await outlet.started;
  } finally {
    clearTimeout(timer);
  }
  return {
    kind: "stream",
    tally: state.tally,
    cancel: answer.body.cancel,
    async forEach(onRecord) {
      try {
        await outlet.forEach(onRecord, call.signal);
      } catch (error) {
        answer.body.cancel(); // a listener that threw; after a broken socket it changes nothing
        throw error;
      }
    },
  };
}

/** Reads the body to its end and tells the outlet how it went; never rejects. */
async function run(answer: UpstreamAnswer, state: ChunkState, reader: RecordReader, outlet: Outlet<ChatRecord>): Promise<void> {
  const parser = openSseParser();
  let verdict: UpstreamError | null = null; // an error that a record told, not the socket
  const take = (records: SseRecord[]) => takeAll(records, reader, outlet, (error) => (verdict = error));
  try {
    await answer.body.read((chunk) => take(parser.push(chunk)));
    await take(parser.end());
    if (!outlet.ended) endWithoutDone(state, outlet);
  } catch (error) {
    if (outlet.ended) return;
    // The socket broke after every choice had ended: the answer is whole.
    if (verdict === null && error instanceof UpstreamError && allEnded(state)) outlet.end();
    else outlet.fail(error);
  }
}

/** Gives a promise only where a record has to be waited for: most chunks pass without one. */
function takeAll(
  records: SseRecord[],
  reader: RecordReader,
  outlet: Outlet<ChatRecord>,
  onError: (error: UpstreamError) => void,
  from = 0,
): void | Promise<void> {
  for (let at = from; at < records.length && !outlet.ended; at += 1) {
    const pending = takeOne(records[at]!, reader, outlet, onError);
    if (pending) return pending.then(() => takeAll(records, reader, outlet, onError, at + 1));
  }
}

function takeOne(
  record: SseRecord,
  reader: RecordReader,
  outlet: Outlet<ChatRecord>,
  onError: (error: UpstreamError) => void,
): void | Promise<void> {
  let read: ReturnType<RecordReader["read"]>;
  try {
    read = reader.read(record, outlet.begun);
  } catch (error) {
    if (error instanceof UpstreamError) onError(error);
    throw error;
  }
  if (typeof read === "string") return outlet.emit({ json: read });
  const pending = emitAll(read.records, outlet);
  if (!read.done) return pending;
  if (pending) return pending.then(outlet.end);
  outlet.end();
}

function emitAll(records: string[], outlet: Outlet<ChatRecord>, from = 0): void | Promise<void> {
  for (let at = from; at < records.length; at += 1) {
    const pending = outlet.emit({ json: records[at]! });
    if (pending) return pending.then(() => emitAll(records, outlet, at + 1));
  }
}

/** WIRE.md 16: without a finish reason and without [DONE] a stream is interrupted, however cleanly the socket closed. */
function endWithoutDone(state: ChunkState, outlet: Outlet<ChatRecord>): void {
  if (allEnded(state)) return outlet.end();
  if (!state.begun) throw new UpstreamError("unreadable", "the stream is empty", { status: 200 });
  throw new UpstreamError("unavailable", "the stream ended too early", { status: 200 });
}
