// Reads MP3 frames, each with a header that has its length and rate. Xing and VBRI headers are used only to find out that frames are
// missing.
import { type Bytes, nameAt } from "./bytes.ts";
import { assertOwn, broken, foreignMax, nothingPromised, openTally, type Walked } from "./tally.ts";

interface MpegFrame {
  samples: number;
  rate: number;
  bytes: number;
  /** Where a Xing header would be. */
  sideInfoEnd: number;
}

/** Joined files have one or two tags each. */
const tagsMax = 10_000;
/** Small, so that searching on seldom moves the window. */
const pieceBytes = 16_384;

const rates = [44_100, 48_000, 32_000];
const kilobits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Null where no header of layer III is found. Free bit rates are not supported. */
export function mpegFrameAt(bytes: Buffer, at: number): MpegFrame | null {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return null;
  const second = bytes[at + 1]!;
  const third = bytes[at + 2]!;
  const version = (second >> 3) & 3; // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  if ((second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== 1 || version === 1) return null;
  const kilobits = (version === 3 ? kilobits1 : kilobits2)[third >> 4];
  const base = rates[(third >> 2) & 3];
  if (kilobits === undefined || kilobits === 0 || base === undefined) return null;
  const rate = version === 3 ? base : version === 2 ? base / 2 : base / 4;
  const samples = version === 3 ? 1152 : 576;
  const mono = bytes[at + 3]! >> 6 === 3;
  const sideInfo = version === 3 ? (mono ? 17 : 32) : mono ? 9 : 17;
  return { samples, rate, bytes: Math.floor((samples / 8) * ((kilobits * 1000) / rate)) + ((third >> 1) & 1), sideInfoEnd: 4 + sideInfo };
}

/** Length of an ID3v2 tag at `at`; 0: there is none. */
export function id3Bytes(source: Bytes, at: number): number {
  const head = source.read(at, 10);
  if (head.length < 10 || head.toString("latin1", 0, 3) !== "ID3" || head[3]! > 4 || head.subarray(6, 10).some((byte) => byte > 127))
    return 0;
  const size = (head[6]! << 21) | (head[7]! << 14) | (head[8]! << 7) | head[9]!;
  return 10 + size + ((head[5]! & 0x10) !== 0 ? 10 : 0);
}

export function walkMp3(source: Bytes): Walked {
  const tally = openTally();
  let explained = 0;
  let at = 0;
  let first = true;
  let promised = 0;
  let tags = 0;
  while (at < source.size) {
    const skipped = tagBytes(source, at);
    if (skipped > 0) {
      if (++tags > tagsMax) throw broken("It has too many tags.");
      explained += Math.min(skipped, source.size - at);
      at += skipped;
      continue;
    }
    const frame = mpegFrameAt(source.read(at, 4), 0);
    if (frame === null || at + frame.bytes > source.size) {
      at = nextFrame(source, at + 1);
      assertOwn(at - explained, source.size);
      continue;
    }
    const frames = first ? indexedFrames(source.read(at, 64), frame) : null;
    if (frames === null) tally.add(frame.samples, frame.rate);
    else promised = (frames * frame.samples) / frame.rate;
    first = false;
    explained += frame.bytes;
    at += frame.bytes;
  }
  return { seconds: tally.seconds(), explained, promise: { ...nothingPromised, seconds: promised } };
}

/** Tags that players skip: ID3v2 anywhere (joined files), ID3v1 and APE at the end. */
function tagBytes(source: Bytes, at: number): number {
  const head = source.read(at, 32);
  if (head[0] === 0x49) return id3Bytes(source, at);
  if (head.toString("latin1", 0, 3) === "TAG" && source.size - at === 128) return 128;
  if (head.toString("latin1", 0, 8) === "APETAGEX") return 32 + head.readUInt32LE(12);
  return 0;
}

/** Where three frames follow one another again: any data has four bytes that look like a header every few kilobytes. */
function nextFrame(source: Bytes, from: number): number {
  const end = Math.min(source.size, from + foreignMax(source.size) + 1);
  for (let at = from; at < end;) {
    const piece = source.read(at, pieceBytes);
    let index = 0;
    for (; index < piece.length - 9 || at + index + 9 >= source.size; index++) {
      const byte = piece[index];
      if (byte === undefined) return source.size;
      if (byte === 0x49 && id3Bytes(source, at + index) > 0) return at + index;
      if (byte === 0xff && mpegFrameAt(piece, index) !== null && framesFollow(source, at + index, 3)) return at + index;
    }
    at += index;
  }
  return end;
}

export function framesFollow(source: Bytes, from: number, count: number): boolean {
  let at = from;
  let rate = 0;
  for (let found = 0; found < count; found++) {
    if (found > 0 && (at === source.size || tagBytes(source, at) > 0)) return true;
    const frame = mpegFrameAt(source.read(at, 4), 0);
    if (frame === null || (rate !== 0 && frame.rate !== rate)) return false;
    rate = frame.rate;
    at += frame.bytes;
  }
  return true;
}

/** For a first frame that only counts the others: their number, 0 where it has none. Null: an ordinary frame. */
function indexedFrames(bytes: Buffer, { sideInfoEnd: at }: MpegFrame): number | null {
  const name = nameAt(bytes, at);
  if (name === "Xing" || name === "Info") return bytes.length >= at + 12 && (bytes[at + 7]! & 1) !== 0 ? bytes.readUInt32BE(at + 8) : 0;
  return nameAt(bytes, 36) !== "VBRI" ? null : bytes.length >= 54 ? bytes.readUInt32BE(50) : 0;
}
