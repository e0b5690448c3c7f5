// Where a stream's handler writes: back-pressure as a promise, a bound on what is queued, an end to readers that stall.
// What is written in one turn of the event loop leaves in one piece: a socket write costs more than a streamed token.
import type { ServerResponse } from "node:http";
import type { EdgeLimits } from "./edge.ts";
import type { Sink } from "./types.ts";

interface OpenSink extends Sink {
  /** Ends the response with what is still gathered. */
  end(): void;
}

/** Gathered text that leaves before its turn is over. */
const gatheredMax = 16_384;

/** Writes after the client has gone do nothing: the request's signal is what stops the work. */
export function openSink(res: ServerResponse, limits: Pick<EdgeLimits, "queuedBytes" | "stalledReaderMs" | "slowReaderMs">): OpenSink {
  let gathered = "";
  let scheduled = false;
  let waiting: Promise<void> | null = null;
  let leftMs = limits.slowReaderMs;

  function leave(): void {
    scheduled = false;
    if (gathered === "") return;
    const text = gathered;
    gathered = "";
    send(text);
  }

  function send(chunk: string | Uint8Array): void {
    if (res.destroyed || res.writableEnded || res.write(chunk)) return;
    if (waiting !== null && res.writableLength > limits.queuedBytes) {
      // Somebody wrote on without awaiting: memory is worth more than this client.
      res.destroy();
      return;
    }
    waiting ??= untilDrained(res, Math.min(limits.stalledReaderMs, leftMs)).then((waitedMs) => {
      waiting = null;
      leftMs -= waitedMs;
    });
  }

  return {
    write(chunk) {
      if (res.destroyed || res.writableEnded) return;
      if (typeof chunk !== "string") {
        leave();
        send(chunk);
      } else {
        gathered += chunk;
        if (gathered.length >= gatheredMax) leave();
        else if (!scheduled) {
          scheduled = true;
          process.nextTick(leave);
        }
      }
      return waiting ?? undefined;
    },
    end() {
      const rest = gathered;
      gathered = "";
      res.end(rest);
    },
  };
}

/** Resolves with how long it took; a reader that takes longer than `maxMs` is cut off. */
function untilDrained(res: ServerResponse, maxMs: number): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const late = setTimeout(() => res.destroy(), maxMs);
    const done = () => {
      clearTimeout(late);
      res.off("drain", done).off("close", done);
      resolve(performance.now() - began);
    };
    res.once("drain", done).once("close", done);
  });
}
