// A clip's size, duration and pictures a second, from its index. A broken index can send its reader round in circles, so it
// is read in a thread of its own, which is ended when it takes too long.
import { Worker } from "node:worker_threads";

export interface ClipMeasures {
  width: number;
  height: number;
  seconds: number;
  fps: number;
}

/** Starting the thread takes a tenth of a second, reading an honest index less. */
const patienceMs = 10_000;
const heapMb = 256;

/** Null: no moving pictures in it, or it takes too long to tell. Throws where the file can't be read as a clip. */
export async function measureClip(path: string, waitMs = patienceMs): Promise<ClipMeasures | null> {
  const worker = new Worker(new URL("./read-video.ts", import.meta.url), {
    workerData: path,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ClipMeasures | null>((resolve, reject) => {
      timer = setTimeout(() => resolve(null), waitMs);
      worker.once("message", resolve).once("error", reject);
      worker.once("exit", () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
