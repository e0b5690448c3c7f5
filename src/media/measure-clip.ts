// A clip's size, duration and pictures a second, from its index. Loaded with the first clip: the reader takes its time.
import { open } from "node:fs/promises";
import { CustomSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { within } from "../within.ts";

export interface ClipMeasures {
  width: number;
  height: number;
  seconds: number;
  fps: number;
}

/** The index of an hour of film takes less. */
const bytesMax = 32 * 1024 * 1024;
const patienceMs = 10_000;
/** Enough to tell the rate, without walking through the whole file. */
const countedPictures = 100;

/** Null: no moving pictures in it, or it takes too long to tell. Throws where the file can't be read as a clip. */
export async function measureClip(path: string): Promise<ClipMeasures | null> {
  const file = await open(path);
  let bytesRead = 0;
  const source = new CustomSource({
    getSize: async () => (await file.stat()).size,
    read: async (start, end) => {
      bytesRead += end - start;
      if (bytesRead > bytesMax) throw new Error("the clip's index is too large");
      const { buffer, bytesRead: got } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer.subarray(0, got);
    },
    handleUnhandledError: () => undefined,
  });
  const input = new Input({ formats: [MP4, QTFF, WEBM], source });
  try {
    return await within(patienceMs, readClip(input), () => null);
  } finally {
    input.dispose();
    await file.close();
  }
}

async function readClip(input: Input): Promise<ClipMeasures | null> {
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return null;
  const [width, height, seconds, stats] = [
    await track.getDisplayWidth(),
    await track.getDisplayHeight(),
    await input.computeDuration(),
    await track.computePacketStats(countedPictures),
  ];
  return { width, height, seconds, fps: stats.averagePacketRate };
}
