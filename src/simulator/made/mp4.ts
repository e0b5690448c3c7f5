// A video as an MP4 file of any length: real H.264 frames (footage.ts) over and over, and the boxes around them (ISO 14496-12 and -15).
import { framesPerSecond, landscape, portrait, square, type Footage } from "./footage.ts";

/** Units of time a second, in every box. */
const timescale = 24_000;
const ticksPerFrame = timescale / framesPerSecond;
const noTransform = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

export interface Clip {
  bytes: Buffer;
  width: number;
  height: number;
  seconds: number;
  fps: number;
}

/** `aspect` is 16:9, 9:16 or 1:1, anything else 16:9; lasts at least one frame. */
export function makeClip(aspect: string, seconds: number): Clip {
  const footage = aspect === "9:16" ? portrait : aspect === "1:1" ? square : landscape;
  const count = Math.max(1, Math.round(seconds * framesPerSecond));
  const samples = footage.frames.map((frame) => withLength(Buffer.from(frame, "base64")));
  const frames = Array.from({ length: count }, (_, index) => samples[index % samples.length]!);
  const type = box("ftyp", "isom", u32(512), "isomiso2avc1mp41");
  const moovOf = (dataAt: number) => renderMovie(footage, frames, samples.length, dataAt);
  // The movie box has the same length wherever the frames begin.
  const dataAt = type.length + moovOf(0).length + 8;
  const bytes = Buffer.concat([type, moovOf(dataAt), box("mdat", ...frames)]);
  return { bytes, width: footage.width, height: footage.height, seconds: count / framesPerSecond, fps: framesPerSecond };
}

function renderMovie(footage: Footage, frames: readonly Buffer[], keyEvery: number, dataAt: number): Buffer {
  const { width, height } = footage;
  const duration = frames.length * ticksPerFrame;
  const keys = frames.map((_, index) => index + 1).filter((number) => (number - 1) % keyEvery === 0);
  const samples = box(
    "stbl",
    full("stsd", 0, u32(1), renderFormat(footage)),
    full("stts", 0, u32(1, frames.length, ticksPerFrame)),
    full("stss", 0, u32(keys.length, ...keys)),
    full("stsc", 0, u32(1, 1, frames.length, 1)),
    full("stsz", 0, u32(0, frames.length, ...frames.map(({ length }) => length))),
    full("stco", 0, u32(1, dataAt)),
  );
  const source = box("dinf", full("dref", 0, u32(1), full("url ", 1)));
  const media = box(
    "mdia",
    full("mdhd", 0, u32(0, 0, timescale, duration), u16(0x55c4, 0)),
    full("hdlr", 0, u32(0), "vide", u32(0, 0, 0), "video\0"),
    box("minf", full("vmhd", 1, u16(0, 0, 0, 0)), source, samples),
  );
  const track = full("tkhd", 3, u32(0, 0, 1, 0, duration, 0, 0), u16(0, 0, 0, 0), u32(...noTransform, width * 65536, height * 65536));
  const head = full("mvhd", 0, u32(0, 0, timescale, duration, 0x10000), u16(0x100, 0), u32(0, 0, ...noTransform, 0, 0, 0, 0, 0, 0, 2));
  return box("moov", head, box("trak", track, media));
}

function renderFormat({ width, height, sequence, picture }: Footage): Buffer {
  const [sps, pps] = [Buffer.from(sequence, "base64"), Buffer.from(picture, "base64")];
  const setup = Buffer.from([1, sps[1]!, sps[2]!, sps[3]!, 0xff, 0xe1]);
  const configuration = box("avcC", setup, u16(sps.length), sps, Buffer.from([1]), u16(pps.length), pps);
  const dots = u32(0x480000, 0x480000, 0);
  const name = Buffer.alloc(32);
  return box("avc1", u32(0), u16(0, 1), u32(0, 0, 0, 0), u16(width, height), dots, u16(1), name, u16(0x18, 0xffff), configuration);
}

function withLength(unit: Buffer): Buffer {
  return Buffer.concat([u32(unit.length), unit]);
}

function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, "latin1"), content]);
}

/** A box with a version, always 0, and flags. */
function full(type: string, flags: number, ...parts: (Buffer | string)[]): Buffer {
  return box(type, u32(flags), ...parts);
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}
