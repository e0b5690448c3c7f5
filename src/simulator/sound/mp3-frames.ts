// The frames of an MP3 stream (ISO 11172-3, 13818-3 layer III): where they are, how long they last, and whether anything sounds in them.

export interface Mp3Frame {
  at: number;
  bytes: number;
  samples: number;
  sampleRate: number;
  /** Nothing is coded in it. */
  isSilent: boolean;
}

const kbpsOfMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kbpsOfMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const ratesOfMpeg1 = [44_100, 48_000, 32_000];
/** How far junk before the first frame may reach. */
const junkBytesMax = 64 * 1024;

/** Every whole frame; a tag before them, bytes that are none and a cut last one are passed over. */
export function* readMp3Frames(bytes: Buffer): Iterable<Mp3Frame> {
  let at = afterTag(bytes);
  let junk = 0;
  while (at + 4 <= bytes.length) {
    const frame = readFrame(bytes, at);
    if (frame === null) {
      at += 1;
      junk += 1;
      if (junk > junkBytesMax) return;
      continue;
    }
    if (at + frame.bytes > bytes.length) return;
    yield frame;
    at += frame.bytes;
  }
}

/** ID3v2: four times seven bits of length behind ten bytes. */
function afterTag(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString("latin1", 0, 3) !== "ID3") return 0;
  return 10 + ((bytes[6]! & 127) << 21) + ((bytes[7]! & 127) << 14) + ((bytes[8]! & 127) << 7) + (bytes[9]! & 127);
}

function readFrame(bytes: Buffer, at: number): Mp3Frame | null {
  const [sync, second, third, fourth] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!];
  const version = (second >> 3) & 3;
  const rateIndex = (third >> 2) & 3;
  // Version 1 is reserved, layer III is coded as 1.
  if (sync !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || ((second >> 1) & 3) !== 1 || rateIndex === 3) return null;
  const isMpeg1 = version === 3;
  const kbps = (isMpeg1 ? kbpsOfMpeg1 : kbpsOfMpeg2)[third >> 4] ?? 0;
  if (kbps === 0) return null;
  const sampleRate = ratesOfMpeg1[rateIndex]! / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = isMpeg1 ? 1152 : 576;
  const length = Math.floor((samples * kbps * 125) / sampleRate) + ((third >> 1) & 1);
  const sideAt = at + 4 + ((second & 1) === 0 ? 2 : 0);
  const isSilent = !hasCode(bytes, sideAt, isMpeg1, fourth >> 6 === 3 ? 1 : 2);
  return { at, bytes: length, samples, sampleRate, isSilent };
}

/** The side information tells for each granule and channel how many bits are its own. */
function hasCode(bytes: Buffer, sideAt: number, isMpeg1: boolean, channels: number): boolean {
  const granules = isMpeg1 ? 2 : 1;
  const first = isMpeg1 ? (channels === 1 ? 18 : 20) : channels === 1 ? 9 : 10;
  const step = isMpeg1 ? 59 : 63;
  for (let index = 0; index < granules * channels; index += 1) {
    const bit = first + index * step;
    for (let next = bit; next < bit + 12; next += 1) {
      if (((bytes[sideAt + (next >> 3)] ?? 0) >> (7 - (next & 7))) & 1) return true;
    }
  }
  return false;
}
