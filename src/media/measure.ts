// Width, height, duration and pictures a second, read from a file's headers: nothing is decoded, so a small file that
// would unpack to a huge picture costs as little as any. A file that can't be measured is no fault.
import { open } from "node:fs/promises";
import { imageSize } from "image-size";
import { CustomSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { within } from "../within.ts";
import { type Kind, readHead } from "./kinds.ts";
import { svgSize } from "./svg.ts";
import type { KeptFile } from "./types.ts";

export type Measures = Pick<KeptFile, "width" | "height" | "seconds" | "fps">;

const unknown: Measures = { width: null, height: null, seconds: null, fps: null };

/** A photograph's colour profile and thumbnail may stand before its size. */
const pictureHeadBytes = 512 * 1024;
/** The index of an hour of film takes less. */
const clipBytesMax = 32 * 1024 * 1024;
const clipMs = 10_000;
/** Enough to tell the rate, without walking through the whole file. */
const countedPictures = 100;

export async function measure(path: string, kind: Kind): Promise<Measures> {
  try {
    return kind.medium === "video" ? await measureClip(path) : measurePicture(await readHead(path, pictureHeadBytes), kind);
  } catch {
    return unknown;
  }
}

function measurePicture(head: Buffer, kind: Kind): Measures {
  if (kind.extension === "svg") {
    const size = svgSize(head);
    return size === null ? unknown : { ...unknown, width: sideOf(size.width), height: sideOf(size.height) };
  }
  const { width, height, orientation = 1 } = imageSize(head);
  // 5 to 8: the camera was held upright, and the sides are exchanged when it is shown.
  const sides = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { ...unknown, width: sideOf(sides.width), height: sideOf(sides.height) };
}

async function measureClip(path: string): Promise<Measures> {
  const file = await open(path);
  let bytesRead = 0;
  const source = new CustomSource({
    getSize: async () => (await file.stat()).size,
    read: async (start, end) => {
      bytesRead += end - start;
      if (bytesRead > clipBytesMax) throw new Error("the clip's index is too large");
      const { buffer, bytesRead: got } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer.subarray(0, got);
    },
    handleUnhandledError: () => undefined,
  });
  const input = new Input({ formats: [MP4, QTFF, WEBM], source });
  try {
    return await within(clipMs, readClip(input), () => unknown);
  } finally {
    input.dispose();
    await file.close();
  }
}

async function readClip(input: Input): Promise<Measures> {
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return unknown;
  const [width, height, seconds, stats] = [
    await track.getDisplayWidth(),
    await track.getDisplayHeight(),
    await input.computeDuration(),
    await track.computePacketStats(countedPictures),
  ];
  return { width: sideOf(width), height: sideOf(height), seconds: thousandths(seconds), fps: thousandths(stats.averagePacketRate) };
}

/** Whole pixels; nothing that lies outside of what any picture has. */
function sideOf(pixels: number): number | null {
  const side = Math.round(pixels);
  return side >= 1 && side <= 1_000_000 ? side : null;
}

function thousandths(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Math.round(value * 1_000) / 1_000 : null;
}
