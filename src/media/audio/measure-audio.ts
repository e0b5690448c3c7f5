// Measures how long recordings last in a few pooled threads: a walk through 100 MB takes a second of a core, starting a thread a tenth.
// A thread that takes too long, or whose client has disconnected, is terminated and replaced for the next recording.
import { Worker } from "node:worker_threads";
import { inSlot, openSlots } from "../../concurrency/slots.ts";
import { MediaFault, type MediaFaultReason } from "../types.ts";

export interface MeasureOrder {
  path: string;
  /** The extension of an AudioKind. */
  extension: string;
}

export type Measured = { seconds: number } | { fault: { reason: MediaFaultReason; sentence: string } };

interface AudioMeter {
  /** In seconds. Throws MediaFault, the signal's reason, or an Error where the file can't be opened. */
  measure(order: MeasureOrder, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** For tests: other time limits. */
interface MeterOptions {
  timeoutMs?: number;
}

const threads = 2;
/** For one file, once a thread has started on it. */
const timeoutMs = 15_000;
const heapMb = 128;

/** Threads are started on demand. */
export function openAudioMeter(options: MeterOptions = {}): AudioMeter {
  const slots = openSlots(threads, Infinity);
  const all = new Set<Worker>();
  const idle: Worker[] = [];

  const start = () => {
    const worker = new Worker(new URL("./audio-thread.ts", import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    all.add(worker);
    // A thread that dies while idle is forgotten; while it works, its caller gets the error.
    worker.on("error", () => undefined);
    worker.once("exit", () => {
      all.delete(worker);
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    });
    return worker;
  };

  const run = async (order: MeasureOrder, signal: AbortSignal) => {
    signal.throwIfAborted();
    const worker = idle.pop() ?? start();
    let isWell = false;
    try {
      // An idle thread must not keep the process alive.
      worker.ref();
      const measured = await askWorker(worker, order, signal, options.timeoutMs ?? timeoutMs);
      isWell = true;
      return measured;
    } finally {
      worker.unref();
      if (isWell) idle.push(worker);
      else await worker.terminate();
    }
  };

  return {
    async measure({ path, extension }, signal) {
      const measured = await inSlot(slots, () => run({ path, extension }, signal), signal);
      if ("seconds" in measured) return measured.seconds;
      throw new MediaFault(measured.fault.reason, measured.fault.sentence);
    },
    async close() {
      idle.length = 0;
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

async function askWorker(worker: Worker, order: MeasureOrder, signal: AbortSignal, waitMs: number): Promise<Measured> {
  const { promise, resolve, reject } = Promise.withResolvers<Measured>();
  // A walk takes a bounded time of a core, whatever the file: running out of time means that the machine is overloaded.
  const tooLong = () => reject(new MediaFault("overloaded", "There is no time to read the audio file."));
  const onError = (error: NodeJS.ErrnoException) =>
    reject(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? new MediaFault("invalid", "The audio file cannot be read. Its index is too large.")
        : error,
    );
  const onExit = () => reject(new Error("the thread that measures audio has ended"));
  const onAbort = () => reject(signal.reason as Error);
  const timer = setTimeout(tooLong, waitMs);
  worker.once("message", resolve).once("error", onError).once("exit", onExit);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    worker.postMessage(order);
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off("message", resolve).off("error", onError).off("exit", onExit);
    signal.removeEventListener("abort", onAbort);
  }
}
