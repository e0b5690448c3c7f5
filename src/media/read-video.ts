// The thread that reads one video's index for measure-video.ts, which passes the path and terminates it.
import { fstatSync, openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { CustomSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import type { VideoMeasures } from "./measure-video.ts";

/** The index of an hour of film takes less. */
const bytesMax = 32 * 1024 * 1024;
/** Enough to tell the rate, without walking through the whole file. */
const countedFrames = 100;

const file = openSync(workerData as string, "r"); // closed with the thread
let bytesRead = 0;
const source = new CustomSource({
  getSize: () => fstatSync(file).size,
  read: (start, end) => {
    bytesRead += end - start;
    if (bytesRead > bytesMax) throw new Error("the video's index is too large");
    const buffer = Buffer.alloc(end - start);
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start));
  },
});

async function readVideo(): Promise<VideoMeasures | null> {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return null;
  return {
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    seconds: await input.computeDuration(),
    fps: (await track.computePacketStats(countedFrames)).averagePacketRate,
  };
}

parentPort!.postMessage(await readVideo());
