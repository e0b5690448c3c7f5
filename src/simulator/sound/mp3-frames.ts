// The frames of an MP3 stream (ISO 11172-3, 13818-3 layer III): where they are, how long they last, and whether anything sounds in them.
import type { createMp3Encoder } from "wasm-media-encoders";
import { seededRandom, wholeBetween } from "../seed.ts";

interface Mp3Frame {
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

/** The side information gives the number of bits of each granule and channel. */
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

// A tune as MP3, encoded once for each rate and bitrate (LAME as WebAssembly) and then only repeated: a call costs a copy.
// The first frame needs nothing that came before it, so a loop of whole frames decodes wherever it begins anew.

export interface Mp3Loop {
  bytes: Buffer;
  /** Where each frame ends. */
  ends: readonly number[];
  samplesPerFrame: number;
}

type Encoder = Awaited<ReturnType<typeof createMp3Encoder>>;
type Rate = 8000 | 11025 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000;

let opening: Promise<Encoder> | undefined;

/** One encoder serves all: it encodes a loop in one turn. Loaded with the first, as it is large. */
export async function encodeLoop(tune: number, sampleRate: number, kbps: number): Promise<Mp3Loop> {
  const encoder = await (opening ??= import("wasm-media-encoders").then((encoders) => encoders.createMp3Encoder()));
  encoder.configure({ channels: 1, sampleRate, bitrate: kbps as 128, outputSampleRate: sampleRate as Rate });
  // Copied: what is returned belongs to the encoder. Its last frames stay inside, they only fade out.
  const encoded = Buffer.from(encoder.encode([playTune(tune, sampleRate)]));
  const frames = [...readMp3Frames(encoded)];
  const last = frames.at(-1)!;
  return {
    bytes: encoded.subarray(0, last.at + last.bytes),
    ends: frames.map(({ at, bytes }) => at + bytes),
    samplesPerFrame: last.samples,
  };
}

// What all made audio sounds like: short tunes of clear notes, several seconds long, that begin and end in silence and so can go round.

/** Several, so that two texts of one length rarely sound the same. */
export const tunesCount = 8;
const tuneSeconds = 4;
const noteSeconds = 0.25;
const loudness = 0.4;
/** Of a note, at its beginning and its end. */
const fadeShare = 0.1;
/** A pentatonic scale from 220 Hz on: below what 8000 samples a second can carry. */
const semitones = [0, 2, 4, 7, 9, 12, 14, 16];

/** One channel, from -1 to 1. */
export function playTune(tune: number, sampleRate: number): Float32Array {
  const random = seededRandom(`tune ${tune}`);
  const samples = new Float32Array(tuneSeconds * sampleRate);
  const noteLength = noteSeconds * sampleRate;
  for (let begins = 0; begins < samples.length; begins += noteLength) {
    const frequency = 220 * 2 ** (semitones[wholeBetween(random, 0, semitones.length - 1)]! / 12);
    const first = Math.ceil(begins);
    const end = Math.min(samples.length, Math.ceil(begins + noteLength));
    for (let at = first; at < end; at += 1) {
      const place = (at - begins) / noteLength;
      const fade = Math.min(1, place / fadeShare, (1 - place) / fadeShare);
      samples[at] = loudness * fade * Math.sin((2 * Math.PI * frequency * (at - begins)) / sampleRate);
    }
  }
  return samples;
}
