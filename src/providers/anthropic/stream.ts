// A message that streams: in which order its records go out.
// What one event means is events.ts's, beginnings and endings are read-stream.ts's.
import type { UpstreamAnswer } from "../transport/http.ts";
import { inOrder } from "../transport/in-order.ts";
import { openOutlet, type Outlet } from "../transport/outlet.ts";
import { readStream, type StreamReader } from "../transport/read-stream.ts";
import type { MessageCall, MessageRecord, MessageStream, MessageTally } from "../types.ts";
import { readEvents } from "./events.ts";

/** The outlet, and what is held back before it: a message without a block says nothing that another route could not say. */
interface Gate {
  outlet: Outlet<MessageRecord>;
  take(records: readonly MessageRecord[]): void | Promise<void>;
}

/** Begins with the first block. */
export function openMessageStream(answer: UpstreamAnswer, call: MessageCall, startAfterMs: number): Promise<MessageStream> {
  return readStream(answer, (onEnd) => messageReader(call, onEnd), call.signal, startAfterMs);
}

function messageReader({ publicModel, promptTokens, route }: MessageCall, onEnd: () => void): StreamReader<MessageRecord, MessageTally> {
  const events = readEvents({ publicModel, promptTokens, provider: route.provider });
  const { outlet, take } = openGate(onEnd);
  const finish = async () => {
    const rest = events.close();
    outlet.start();
    await take(rest);
    outlet.end();
  };
  return {
    outlet,
    tally: events.tally,
    take(record) {
      const read = events.read(record, outlet.begun);
      if (read instanceof Promise) return read.then(take);
      return events.stopped ? finish() : take(read);
    },
    isEmpty: () => !events.started,
    isWhole: () => events.tally.end !== null && !events.stopped, // a stop that was read has ended it, or found it broken
    finish,
  };
}

function openGate(onEnd: () => void): Gate {
  const held: MessageRecord[] = [];
  let leaving: void | Promise<void>; // what was held when the time was up goes out before all else
  const letGo = () => {
    leaving = inOrder(held.splice(0), outlet.emit);
    if (leaving) leaving = leaving.then(() => (leaving = undefined));
  };
  const outlet: Outlet<MessageRecord> = openOutlet(letGo, onEnd);
  return {
    outlet,
    take(records) {
      if (outlet.begun) return leaving ? leaving.then(() => inOrder(records, outlet.emit)) : inOrder(records, outlet.emit);
      // A host may ping without end before its first block: one says as much.
      for (const record of records) if (record.event !== "ping" || held.every(({ event }) => event !== "ping")) held.push(record);
      if (records.some(({ event }) => event === "content_block_start")) return inOrder(held.splice(0), outlet.emit);
    },
  };
}
