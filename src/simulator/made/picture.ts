// A picture in the format that was asked for: JPEG, and PNG for every other.
import { makeJpeg } from "./jpeg.ts";
import { makePng } from "./png.ts";

export type PictureFormat = "png" | "jpeg";

export interface MadeFile {
  bytes: Buffer;
  contentType: string;
  extension: string;
}

/** WebP, which the simulator doesn't write, is answered as PNG. */
export function readFormat(sent: unknown): PictureFormat {
  return sent === "jpeg" || sent === "jpg" ? "jpeg" : "png";
}

/** Wholly black without a seed. */
export function makePicture(format: PictureFormat, width: number, height: number, seed: string | null): MadeFile {
  const make = format === "jpeg" ? makeJpeg : makePng;
  return { bytes: make(width, height, seed), contentType: `image/${format}`, extension: format === "jpeg" ? "jpg" : "png" };
}
