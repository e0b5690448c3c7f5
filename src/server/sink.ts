// Where a stream's handler writes: back-pressure as a promise, a bound on what is queued, an end to readers that stall.
import type { ServerResponse } from "node:http";
import type { EdgeLimits } from "./edge.ts";
import type { Sink } from "./types.ts";

/** Writes after the client has gone do nothing: the request's signal is what stops the work. */
export function openSink(res: ServerResponse, limits: Pick<EdgeLimits, "queuedBytes" | "stalledReaderMs">): Sink {
  let waiting: Promise<void> | null = null;
  return {
    write(chunk) {
      if (res.destroyed || res.writableEnded) return;
      if (res.write(chunk)) return;
      if (waiting !== null && res.writableLength > limits.queuedBytes) {
        // Somebody wrote on without awaiting: memory is worth more than this client.
        res.destroy();
        return;
      }
      waiting ??= untilDrained(res, limits.stalledReaderMs).finally(() => {
        waiting = null;
      });
      return waiting;
    },
  };
}

function untilDrained(res: ServerResponse, stalledReaderMs: number): Promise<void> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => res.destroy(), stalledReaderMs);
    const done = () => {
      clearTimeout(stalled);
      res.off("drain", done).off("close", done);
      resolve();
    };
    res.once("drain", done).once("close", done);
  });
}
