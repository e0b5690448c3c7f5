// Width, height, duration and pictures a second, read from a file's headers: nothing is decoded, so a small file that
// would unpack to a huge picture costs as little as any. A file that can't be measured is no fault.
import { imageSize } from "image-size";
import { type Kind, readHead } from "./kinds.ts";
import { measureClip } from "./measure-video.ts";
import { svgSize } from "./svg.ts";
import type { KeptFile } from "./types.ts";

export type Measures = Pick<KeptFile, "width" | "height" | "seconds" | "fps">;

const unknown: Measures = { width: null, height: null, seconds: null, fps: null };

/** A photograph's colour profile and thumbnail may stand before its size; the other kinds tell theirs at once. */
const photographHeadBytes = 512 * 1024;
const pictureHeadBytes = 64 * 1024;

export async function measure(path: string, kind: Kind): Promise<Measures> {
  try {
    if (kind.medium === "image") {
      const headBytes = kind.extension === "jpg" ? photographHeadBytes : pictureHeadBytes;
      return measurePicture(await readHead(path, headBytes), kind);
    }
    const found = await measureClip(path);
    if (found === null) return unknown;
    const { width, height, seconds, fps } = found;
    return { width: sideOf(width), height: sideOf(height), seconds: thousandths(seconds), fps: thousandths(fps) };
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

/** Whole pixels; nothing that lies outside of what any picture has. */
function sideOf(pixels: number): number | null {
  const side = Math.round(pixels);
  return side >= 1 && side <= 1_000_000 ? side : null;
}

function thousandths(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Math.round(value * 1_000) / 1_000 : null;
}
