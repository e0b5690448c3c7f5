// The bytes of one upstream answer between the socket and their reader: order, back-pressure, caps, one end. call.ts owns the socket.
import { onSilence } from "../../clock.ts";
import { type FailureCause, slowReaderFault, tooLarge, UpstreamError } from "../errors/upstream-error.ts";
import type { AnswerBody, OnChunk, RecordTimes } from "./types.ts";

/** The socket's side of a body. */
export interface BodyFeed {
  body: AnswerBody;
  push(chunk: Buffer): void;
  end(): void;
  fail(reason: unknown): void;
}

interface SocketControl {
  pause(): void;
  resume(): void;
  /** Ends the call with this reason; the feed's fail() follows. */
  stop(reason: unknown): void;
}

/** From the headers on. Reasoning hosts send white space now and then, so an answer may take minutes, but not for ever. */
export const wholeMs = 900_000;

/** Bytes that may wait for a reader before the socket is paused. */
const earlyBytesMax = 65_536;

export function openBody(control: SocketControl, bounds: RecordBounds): BodyFeed {
  const early: Buffer[] = [];
  let earlyBytes = 0;
  let onChunk: OnChunk | null = null;
  let ended = false;
  let failure: { reason: unknown } | null = null;
  let times: RecordTimes | null = null;
  let pauses: Pauses | null = null; // no host waits before the reading begins
  let settle: { resolve: () => void; reject: (reason: unknown) => void } | null = null;

  function deliver(reader: OnChunk, chunk: Buffer): void {
    try {
      const pending = reader(chunk);
      if (!pending) return;
      control.pause(); // a paused parser delivers neither data nor the end, so nothing overtakes the promise
      pauses!.during(pending).then(control.resume, control.stop);
    } catch (error) {
      control.stop(error);
    }
  }

  async function read(reader: OnChunk): Promise<void> {
    pauses ??= timePauses();
    try {
      await pauses.during(replay(early, reader, () => failure));
    } catch (error) {
      control.stop(error);
      throw error;
    }
    if (failure) throw failure.reason;
    if (ended) return;
    onChunk = reader;
    const done = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
    control.resume();
    await done;
  }

  function timeRecords(): RecordTimes["heard"] {
    times = openRecordTimes(bounds, control.stop);
    if (ended || failure) times.stop();
    return times.heard;
  }

  return {
    body: {
      read,
      bytes: (maxBytes, maxMs) =>
        ended && !failure && !onChunk && earlyBytes <= maxBytes ? joined(early, earlyBytes) : readWhole(read, control, maxBytes, maxMs),
      timeRecords,
      keptWaiting: () => pauses?.keptWaiting() ?? false,
      cancel: () => control.stop(new DOMException("The upstream call was cancelled.", "AbortError")),
    },
    push(chunk) {
      if (onChunk) return deliver(onChunk, chunk);
      early.push(chunk);
      earlyBytes += chunk.length;
      if (earlyBytes >= earlyBytesMax) control.pause();
    },
    end() {
      ended = true;
      times?.stop();
      settle?.resolve();
    },
    fail(reason) {
      failure ??= { reason: reason instanceof UpstreamError && pauses?.keptWaiting() ? slowReaderFault(reason) : reason };
      times?.stop();
      settle?.reject(failure.reason);
    },
  };
}

/** Chunks that came before the reader did; more may come while one of them is waited for. */
async function replay(early: Buffer[], reader: OnChunk, failure: () => { reason: unknown } | null): Promise<void> {
  for (let chunk = early.shift(); chunk; chunk = early.shift()) {
    const pending = reader(chunk);
    if (pending) await pending;
    const failed = failure();
    if (failed) throw failed.reason;
  }
}

async function readWhole(read: AnswerBody["read"], control: SocketControl, maxBytes: number, maxMs = wholeMs): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const detail = `the answer took more than ${maxMs} ms`;
  const late = () => control.stop(new UpstreamError("unavailable", detail, { failure: { cause: "timeout_answer", detail } }));
  const timer = setTimeout(late, maxMs);
  try {
    await read((chunk) => {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    });
  } finally {
    clearTimeout(timer);
  }
  return joined(chunks, size);
}

/** A small answer comes whole with its head: for it there is nothing to wait for, nor to time. */
function joined(chunks: readonly Buffer[], size: number): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

// How long a reader keeps the host waiting. A host drops a socket that takes nothing for some seconds; that shows only once what is in
// the kernel's buffers was read, which takes a moment of reading without a pause.

/** A shorter pause makes no host give up. */
const longPauseMs = 1_000;
/**
 * Reading without a pause for longer than this, the buffers are empty: what fails then is the host's own. Only the time counts in which this
 * process had nothing to do: while it is busy, what is in the buffers waits for it. Where others keep it from the processor, that counts too:
 * a busy machine took more than 5 s to read 50 MB.
 */
const catchUpMs = 20_000;
const idleMs = (): number => performance.eventLoopUtilization().idle;

interface Pauses {
  /** `pending` as it is; until it settles the host is waiting. */
  during<Pending extends Promise<void>>(pending: Pending): Pending;
  keptWaiting(): boolean;
}

function timePauses(): Pauses {
  let since = performance.now();
  let idle = idleMs();
  let isPaused = false;
  /** Milliseconds of waiting for the host since the last long pause. */
  let readMs = Infinity;
  const turn = (paused: boolean) => {
    const [now, idleNow] = [performance.now(), idleMs()];
    if (!isPaused) readMs += idleNow - idle;
    else if (now - since >= longPauseMs) readMs = 0;
    since = now;
    idle = idleNow;
    isPaused = paused;
  };
  return {
    during(pending) {
      turn(true);
      const end = () => turn(false);
      pending.then(end, end);
      return pending;
    },
    keptWaiting() {
      turn(isPaused);
      return readMs < catchUpMs;
    },
  };
}

// Time limits of a stream of records. Bytes that are not a record show only that the host is alive and don't extend these.

interface RecordBounds {
  /** To the first record, and between two records. */
  recordMs: number;
  /** From the headers to the end, without the time spent waiting for the reader. */
  streamMs: number;
}

function openRecordTimes({ recordMs, streamMs }: RecordBounds, late: (reason: UpstreamError) => void): RecordTimes {
  let reading = false;
  const fault = (cause: FailureCause, detail: string) =>
    new UpstreamError("unavailable", detail, { status: 200, failure: { cause, detail } });
  const whole = openHostTime(streamMs, () => late(fault("timeout_answer", `the stream took more than ${streamMs} ms`)));
  const silence = onSilence(recordMs, () => {
    if (!reading) late(fault("timeout_idle", `no record within ${recordMs} ms`));
  });
  const restart = () => {
    reading = false;
    silence.heard();
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
      whole.stop();
      silence.stop();
    },
  };
}

// A timer of the host's own time: it stands still while the reader is waited for.

interface HostTime {
  /** Stands still until `pending` settles. */
  pausedFor(pending: Promise<void>): void;
  stop(): void;
}

/** Calls `late` once after `ms` milliseconds of host time. */
export function openHostTime(ms: number, late: () => void): HostTime {
  let leftMs = ms;
  let since = performance.now();
  let timer = setTimeout(late, ms);
  let waitedFor = 0;
  let over = false;
  const goOn = () => {
    waitedFor -= 1;
    if (over || waitedFor > 0) return;
    since = performance.now();
    timer = setTimeout(late, leftMs);
  };
  return {
    pausedFor(pending) {
      waitedFor += 1;
      if (waitedFor === 1) {
        clearTimeout(timer);
        leftMs -= performance.now() - since;
      }
      pending.then(goOn, goOn);
    },
    stop() {
      over = true;
      clearTimeout(timer);
    },
  };
}
