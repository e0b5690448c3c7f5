// How long a stream of records may take. Bytes that are no record show only that a host lives, and renew nothing here.
import { openHostTime } from "./host-time.ts";
import type { TroubleCause } from "../errors/trouble.ts";
import { UpstreamError } from "../types.ts";

export interface RecordBounds {
  /** To the first record, and from one to the next. */
  recordMs: number;
  /** From the head to the end, without the time that its reader is waited for. */
  streamMs: number;
}

export interface RecordTimes {
  /** A record is here. While `pending` its reader is waited for, which is not the host's silence. */
  heard(pending: void | Promise<void>): void;
  stop(): void;
}

export function openRecordTimes({ recordMs, streamMs }: RecordBounds, late: (reason: UpstreamError) => void): RecordTimes {
  let over = false;
  let reading = false;
  const fault = (cause: TroubleCause, detail: string) =>
    new UpstreamError("unavailable", detail, { status: 200, trouble: { cause, detail } });
  const whole = openHostTime(streamMs, () => late(fault("timeout_answer", `the stream took more than ${streamMs} ms`)));
  const silence = setTimeout(() => {
    if (!reading) late(fault("timeout_idle", `no record within ${recordMs} ms`));
  }, recordMs);
  const restart = () => {
    reading = false;
    if (!over) silence.refresh(); // on a timer that was cleared it would begin anew
  };
  return {
    heard(pending) {
      restart();
      if (!pending) return;
      reading = true;
      whole.pausedFor(pending);
      pending.then(restart, restart);
    },
    stop() {
      over = true;
      whole.stop();
      clearTimeout(silence);
    },
  };
}
