// Measures FLAC. Its frames have no length: one ends where the next valid header follows a checksum that is right for the whole frame.
import { type Bytes, nameAt } from "./bytes.ts";
import { type FlacFrame, flacFrameAt, flacHeaderBytes } from "./flac-header.ts";
import { id3Bytes } from "./mpeg-frames.ts";
import { nothingPromised } from "./promised.ts";
import { type Walked, assertOwn, broken, foreignMax, openSearch, openTally } from "./tally.ts";

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
