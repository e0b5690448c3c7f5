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
export function openSink(res: ServerResponse, limits: Pick<EdgeLimits, "queuedBytes" | "stalledReaderMs">): OpenSink {
  let gathered = "";
  let scheduled = false;
  let waiting: Promise<void> | null = null;

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
    waiting ??= untilDrained(res, limits.stalledReaderMs).finally(() => {
      waiting = null;
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
