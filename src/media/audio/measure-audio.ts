// How long recordings last, measured in a few kept threads: a walk through 100 MB takes a second of a core, and starting a thread a tenth.
// A thread that takes too long, or whose client has left, is ended, and the next recording gets a new one.
import { Worker } from "node:worker_threads";
import { inSlot, openSlots } from "../../concurrency/slots.ts";
import { MediaFault, type MediaFaultReason } from "../types.ts";

export interface MeasureOrder {
  path: string;
  /** Of an AudioKind. */
  extension: string;
}

export type Measured = { seconds: number } | { fault: { reason: MediaFaultReason; sentence: string } };

export interface AudioMeter {
  /** Seconds. Throws MediaFault, the signal's reason, or an Error where the file can't be opened. */
  measure(order: MeasureOrder, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** For tests: another patience. */
export interface MeterOptions {
  patienceMs?: number;
}

const threads = 2;
/** For one file, from its turn on. */
const patienceMs = 15_000;
const heapMb = 128;

/** Threads are made when they are needed. */
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
    // A thread that dies while it waits is forgotten; while it works, whoever asked hears of it.
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
      // A thread that waits must not keep the process.
      worker.ref();
      const measured = await askWorker(worker, order, signal, options.patienceMs ?? patienceMs);
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
  // A walk is bounded to some seconds of a core, whatever the file: it is the machine that has no time.
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
