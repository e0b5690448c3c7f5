// Measures FLAC. Its frames have no length: one ends where the next valid header follows a checksum that is right for the whole frame.
import { type Bytes, nameAt } from "./bytes.ts";
import { id3Bytes } from "./mpeg-frames.ts";
import { assertOwn, broken, foreignMax, nothingPromised, openSearch, openTally, type Walked } from "./tally.ts";

const crc16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x8005 : crc << 1;
  return crc & 0xffff;
});

/** Upper bound of a frame: eight channels of 65,535 samples at 24 bits take 1.5 MB. */
const frameBytesMax = 2 * 1024 * 1024;
const pieceBytes = 65_536;
const blocksMax = 1_000;

export function walkFlac(source: Bytes): Walked {
  const start = id3Bytes(source, 0);
  const { rate, samples, framesAt } = readHeaders(source, start);
  const tally = openTally();
  const search = openSearch(source.size);
  let explained = framesAt;
  let at = framesAt;
  let isCut = false;
  while (at < source.size) {
    const frame = headerAt(source, at);
    const end = frame === null ? null : frameEnd(source, at);
    if (frame === null || end === null) {
      if (frame !== null) search(Math.min(frameBytesMax, source.size - at));
      at = nextHeader(source, at + 1);
      assertOwn(at - explained, source.size);
      isCut = frame !== null && at >= source.size;
      continue;
    }
    tally.add(frame.samples, frame.rate || rate);
    explained += end - at;
    at = end;
    if (isEndTag(source, at)) {
      explained += 128;
      break;
    }
  }
  const promised = rate === 0 ? 0 : samples / rate;
  // FFmpeg keeps the old header of a part that it copies (-c copy): its count is ignored where the last frame is complete.
  const promise = { ...nothingPromised, seconds: explained === source.size ? 0 : promised, loose: promised, isCut };
  return { seconds: tally.seconds(), explained, promise };
}

/** From STREAMINFO: the sample rate, for frames that refer to it, and the number of samples; 0: unknown. */
function readHeaders(source: Bytes, start: number): { rate: number; samples: number; framesAt: number } {
  const info = source.read(start, 42);
  if (info.length < 42 || nameAt(info, 0) !== "fLaC") throw broken("Its header is cut.");
  const rate = info.readUIntBE(18, 3) >> 4;
  const samples = (info[21]! & 15) * 2 ** 32 + info.readUInt32BE(22);
  let at = start + 4;
  for (let blocks = 0; blocks < blocksMax; blocks++) {
    const head = source.read(at, 4);
    if (head.length < 4) throw broken("Its header is cut.");
    const last = head[0]! >= 0x80;
    at += 4 + head.readUIntBE(1, 3);
    if (last) return { rate, samples, framesAt: at };
  }
  throw broken("Its header does not end.");
}

function headerAt(source: Bytes, at: number): FlacFrame | null {
  return flacFrameAt(source.read(at, flacHeaderBytes), 0);
}

function nextHeader(source: Bytes, from: number): number {
  const end = Math.min(source.size, from + foreignMax(source.size) + 1);
  for (let at = from; at < end;) {
    const piece = source.read(at, pieceBytes);
    for (let index = piece.indexOf(0xff); index >= 0; index = piece.indexOf(0xff, index + 1))
      if (flacFrameAt(piece, index) !== null) return at + index;
    at += piece.length <= flacHeaderBytes ? piece.length : piece.length - flacHeaderBytes;
  }
  return end;
}

/** Null: no position after it makes the frame complete. */
function frameEnd(source: Bytes, start: number): number | null {
  const last = Math.min(source.size, start + frameBytesMax);
  let crc = 0;
  let wanted = 1_024; // most frames are small
  for (let at = start; at < last;) {
    // A copy, because searching on moves the window; with room for the next frame's header.
    const piece = Buffer.from(source.read(at, wanted + flacHeaderBytes));
    const length = Math.min(wanted, piece.length, last - at);
    for (let index = 0; index < length; index++) {
      // A checksum over a frame and its own checksum is 0.
      if (crc === 0 && at + index > start + 5 && (flacFrameAt(piece, index) !== null || isEndTag(source, at + index))) return at + index;
      crc = ((crc << 8) & 0xffff) ^ crc16[(crc >> 8) ^ piece[index]!]!;
    }
    at += length;
    wanted = Math.min(pieceBytes, wanted * 2);
  }
  return last === source.size && crc === 0 ? last : null;
}

/** ID3v1, which some programs append. */
function isEndTag(source: Bytes, at: number): boolean {
  return source.size - at === 128 && source.read(at, 3).toString("latin1") === "TAG";
}

// Reads the header of one FLAC frame (RFC 9639, 9.1): its number of samples, guarded by a checksum.

interface FlacFrame {
  samples: number;
  /** 0: as in the stream's header. */
  rate: number;
  headerBytes: number;
}

const crc8 = Uint8Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1;
  return crc & 255;
});

const rates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** Length of the longest header. */
const flacHeaderBytes = 16;

/** Null: no valid header. */
export function flacFrameAt(bytes: Buffer, at: number): FlacFrame | null {
  if (at + 6 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) return null;
  const sizeCode = bytes[at + 2]! >> 4;
  const rateCode = bytes[at + 2]! & 15;
  if (sizeCode === 0 || rateCode === 15 || bytes[at + 3]! >> 4 > 10 || (bytes[at + 3]! & 1) !== 0) return null;
  let next = at + 4 + codedNumberBytes(bytes[at + 4]!);
  const sizeBytes = sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  if (next + sizeBytes + rateBytes >= bytes.length) return null;
  let samples = sizeCode === 1 ? 192 : sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8);
  if (sizeBytes > 0) samples = bytes.readUIntBE(next, sizeBytes) + 1;
  next += sizeBytes;
  let rate = rates[rateCode] ?? 0;
  if (rateBytes > 0) rate = bytes.readUIntBE(next, rateBytes) * (rateCode === 12 ? 1_000 : rateCode === 14 ? 10 : 1);
  next += rateBytes;
  let crc = 0;
  for (let index = at; index < next; index++) crc = crc8[crc ^ bytes[index]!]!;
  return crc === bytes[next] ? { samples, rate, headerBytes: next + 1 - at } : null;
}

/** The frame's number, coded like UTF-8. */
function codedNumberBytes(first: number): number {
  if (first < 0x80) return 1;
  return Math.min(7, Math.max(1, Math.clz32(~(first << 24))));
}
