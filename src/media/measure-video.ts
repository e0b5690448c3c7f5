// Measures a video's size, duration and frame rate from its index, in a thread of its own: a broken index can make the reader loop, and
// the thread is terminated when it takes too long.
import { Worker } from "node:worker_threads";
import { limitCore } from "../concurrency/core-limit.ts";

export interface VideoMeasures {
  width: number;
  height: number;
  seconds: number;
  fps: number;
}

/** Of a core. Starting the thread takes a tenth of a second of one, reading an honest index less. */
const coreMaxMs = 10_000;
const heapMb = 256;

/** Null: it has no moving images, or measuring takes too long. Throws where the file can't be read as a video. */
export async function measureVideo(path: string, maxMs = coreMaxMs): Promise<VideoMeasures | null> {
  const worker = new Worker(new URL("./read-video.ts", import.meta.url), {
    workerData: path,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const { promise, resolve, reject } = Promise.withResolvers<VideoMeasures | null>();
  const endLimit = limitCore(worker, maxMs, () => resolve(null));
  worker
    .once("message", resolve)
    .once("error", reject)
    .once("exit", () => resolve(null));
  try {
    return await promise;
  } finally {
    endLimit();
    await worker.terminate();
  }
}
