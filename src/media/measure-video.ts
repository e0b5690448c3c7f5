// Measures a video's size, duration and frame rate from its index, in a thread of its own: a broken index can make the reader loop, and
// the thread is terminated when it takes too long.
import { Worker } from "node:worker_threads";

export interface VideoMeasures {
  width: number;
  height: number;
  seconds: number;
  fps: number;
}

/** Starting the thread takes a tenth of a second, reading an honest index less. */
const timeoutMs = 10_000;
const heapMb = 256;

/** Null: it has no moving images, or measuring takes too long. Throws where the file can't be read as a video. */
export async function measureVideo(path: string, waitMs = timeoutMs): Promise<VideoMeasures | null> {
  const worker = new Worker(new URL("./read-video.ts", import.meta.url), {
    workerData: path,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<VideoMeasures | null>((resolve, reject) => {
      timer = setTimeout(() => resolve(null), waitMs);
      worker.once("message", resolve).once("error", reject);
      worker.once("exit", () => resolve(null));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
