// A message that streams: when it has begun, in which order its records go out, and how it ended.
// What one event means is events.ts's.
import type { UpstreamAnswer } from "../http.ts";
import { openOutlet, type Outlet } from "../outlet.ts";
import { openSseParser, type SseRecord } from "../sse.ts";
import { UpstreamError, type MessageCall, type MessageRecord, type MessageStream } from "../types.ts";
import { readEvents, type MessageEvents } from "./events.ts";
import { unreadable } from "./response.ts";

/** The end of the body follows message_stop at once; a host that keeps it open loses the socket. */
const lingerMs = 1_000;

/** The outlet, and what is held back before it: a message without a block says nothing that another route could not say. */
interface Gate {
  outlet: Outlet<MessageRecord>;
  take(records: readonly MessageRecord[]): void | Promise<void>;
}

/**
 * Resolves when the first block is here, or `startAfterMs` after the headers (WIRE.md 10.3: a few seconds), because a host
 * that thinks for long has still accepted the call. Rejects where the stream fails before that.
 */
export async function openMessageStream(answer: UpstreamAnswer, call: MessageCall, startAfterMs: number): Promise<MessageStream> {
  const { publicModel, promptTokens } = call;
  const events = readEvents({ publicModel, promptTokens, provider: call.route.provider });
  const gate = openGate(() => void setTimeout(answer.body.cancel, lingerMs).unref());
  const { outlet } = gate;
  const timer = setTimeout(outlet.start, startAfterMs);
  void run(answer, events, gate);
  try {
    await outlet.started;
  } finally {
    clearTimeout(timer);
  }
  return {
    kind: "stream",
    tally: events.tally,
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

function openGate(onEnd: () => void): Gate {
  const held: MessageRecord[] = [];
  let leaving: void | Promise<void>; // what was held when the time was up goes out before all else
  const letGo = () => {
    leaving = emitAll(held.splice(0), outlet);
    if (leaving) leaving = leaving.then(() => (leaving = undefined));
  };
  const outlet: Outlet<MessageRecord> = openOutlet(letGo, onEnd);
  return {
    outlet,
    take(records) {
      if (outlet.begun) return leaving ? leaving.then(() => emitAll(records, outlet)) : emitAll(records, outlet);
      // A host may ping without end before its first block: one says as much.
      for (const record of records) if (record.event !== "ping" || held.every(({ event }) => event !== "ping")) held.push(record);
      if (held.some(({ event }) => event === "content_block_start")) return emitAll(held.splice(0), outlet);
    },
  };
}

/** Reads the body to its end and tells the outlet how it went; never rejects. */
async function run(answer: UpstreamAnswer, events: MessageEvents, gate: Gate): Promise<void> {
  const { outlet } = gate;
  const parser = openSseParser();
  let verdict: UpstreamError | null = null; // an error that an event told, not the socket
  const take = (records: SseRecord[]) => takeAll(records, events, gate, (error) => (verdict = error));
  try {
    await answer.body.read((chunk) => take(parser.push(chunk)));
    await take(parser.end());
    if (outlet.ended) return;
    if (!events.started) throw unreadable("the stream is empty");
    if (events.tally.end === null) throw new UpstreamError("unavailable", "the stream ended too early", { status: 200 });
    await finish(events, gate);
  } catch (error) {
    if (outlet.ended) return;
    // The socket broke after the message had ended: the answer is whole.
    if (verdict === null && error instanceof UpstreamError && events.tally.end !== null && !events.stopped)
      await finish(events, gate).catch(outlet.fail);
    else outlet.fail(error);
  }
}

async function finish(events: MessageEvents, { outlet, take }: Gate): Promise<void> {
  const rest = events.close();
  outlet.start();
  await take(rest);
  outlet.end();
}

/** Gives a promise only where a record has to be waited for: most chunks pass without one. */
function takeAll(
  records: SseRecord[],
  events: MessageEvents,
  gate: Gate,
  onError: (error: UpstreamError) => void,
  from = 0,
): void | Promise<void> {
  for (let at = from; at < records.length && !events.stopped; at += 1) {
    const pending = takeOne(records[at]!, events, gate, onError);
    if (pending) return pending.then(() => takeAll(records, events, gate, onError, at + 1));
  }
}

function takeOne(record: SseRecord, events: MessageEvents, gate: Gate, onError: (error: UpstreamError) => void): void | Promise<void> {
  let read: ReturnType<MessageEvents["read"]>;
  try {
    read = events.read(record, gate.outlet.begun);
  } catch (error) {
    if (error instanceof UpstreamError) onError(error);
    throw error;
  }
  if (read instanceof Promise) return read.then(gate.take);
  return events.stopped ? finish(events, gate) : gate.take(read);
}

function emitAll(records: readonly MessageRecord[], outlet: Outlet<MessageRecord>, from = 0): void | Promise<void> {
  for (let at = from; at < records.length; at += 1) {
    const pending = outlet.emit(records[at]!);
    if (pending) return pending.then(() => emitAll(records, outlet, at + 1));
  }
}
