// A chat answer that streams: in which order its records go out.
// What one record means is record-reader.ts's, beginnings and endings are read-stream.ts's.
import type { Clock } from "../../clock.ts";
import type { UpstreamAnswer } from "../transport/http.ts";
import { inOrder } from "../transport/in-order.ts";
import { openOutlet } from "../transport/outlet.ts";
import { readStream, type StreamReader } from "../transport/read-stream.ts";
import type { ChatCall, ChatRecord, ChatStream, ChatTally } from "../types.ts";
import { allEnded, beginChunks, newChunkState } from "./chunk.ts";
import { openRecordReader } from "./record-reader.ts";

/** Begins with the first record; a role alone is one. */
export function openChatStream(answer: UpstreamAnswer, call: ChatCall, clock: Clock, startAfterMs: number): Promise<ChatStream> {
  return readStream(answer, (onEnd) => chatReader(call, clock, onEnd), call.signal, startAfterMs);
}

function chatReader({ publicModel, route }: ChatCall, clock: Clock, onEnd: () => void): StreamReader<ChatRecord, ChatTally> {
  const state = newChunkState(publicModel, route.provider);
  const reader = openRecordReader(state, route.provider, clock);
  const outlet = openOutlet<ChatRecord>(() => beginChunks(state, {}, clock), onEnd);
  const emit = (json: string) => outlet.emit({ json });
  return {
    outlet,
    tally: state.tally,
    take(record) {
      const read = reader.read(record, outlet.begun);
      if (typeof read === "string") return emit(read);
      const pending = inOrder(read.records, emit);
      if (!read.done) return pending;
      if (pending) return pending.then(outlet.end);
      outlet.end();
    },
    isEmpty: () => !state.begun,
    isWhole: () => allEnded(state),
    finish: outlet.end,
  };
}
