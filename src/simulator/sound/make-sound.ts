// Audio of any length in the format that was asked for: a tune that goes round. Every protocol takes its speech and music from here.
import { LRUCache } from "lru-cache";
import { digest } from "../seed.ts";
import { encodeLoop, type Mp3Loop, playTune, tunesCount } from "./mp3-frames.ts";
import { wrapWav } from "./wav.ts";

/** One channel. */
export interface SoundFormat {
  encoding: "mp3" | "pcm" | "wav" | "ulaw";
  sampleRate: number;
  /** Of mp3; higher than a rate can have becomes the highest that it can. */
  kbps: number;
}

export interface Sound {
  bytes: Buffer;
  /** Real: that of whole samples or frames. */
  seconds: number;
  kbps: number;
  contentType: string;
}

/** A quick speaker. */
const charactersPerSecond = 15;
const speechSecondsMin = 0.3;
const songSecondsMin = 20;
const songSecondsMax = 90;

const loops = new LRUCache<string, Promise<Mp3Loop>>({ max: 200 });
const samples = new LRUCache<string, Buffer>({ max: 100 });

/** How long a text takes to speak. */
export function secondsOfSpeech(text: string): number {
  return Math.max(speechSecondsMin, [...text].length / charactersPerSecond);
}

/** How long a song is that chooses its own length: by its words. */
export function secondsOfSong(...words: string[]): number {
  const characters = words.join("").length;
  return Math.min(songSecondsMax, songSecondsMin + Math.floor(characters / charactersPerSecond));
}

/** The same tune for the same seed. */
export async function makeSound(format: SoundFormat, seconds: number, seed: string): Promise<Sound> {
  const tune = Number.parseInt(digest(seed).slice(0, 6), 16) % tunesCount;
  return format.encoding === "mp3" ? makeMp3(format, seconds, tune) : makeSamples(format, seconds, tune);
}

async function makeMp3({ sampleRate, kbps: asked }: SoundFormat, seconds: number, tune: number): Promise<Sound> {
  // MPEG 1, 2 and 2.5 end at other bitrates.
  const kbps = Math.min(asked, sampleRate >= 32_000 ? 320 : sampleRate >= 16_000 ? 160 : 64);
  const key = `${tune}:${sampleRate}:${kbps}`;
  let encoding = loops.get(key);
  if (encoding === undefined) loops.set(key, (encoding = encodeLoop(tune, sampleRate, kbps)));
  const { bytes: loop, ends, samplesPerFrame } = await encoding;
  const frames = Math.max(1, Math.round((seconds * sampleRate) / samplesPerFrame));
  const rounds = Math.floor(frames / ends.length);
  const rest = frames % ends.length;
  const length = rounds * loop.length + (rest === 0 ? 0 : ends[rest - 1]!);
  return {
    bytes: Buffer.allocUnsafe(length).fill(loop),
    seconds: (frames * samplesPerFrame) / sampleRate,
    kbps,
    contentType: "audio/mpeg",
  };
}

function makeSamples({ encoding, sampleRate }: SoundFormat, seconds: number, tune: number): Sound {
  const isCoded = encoding === "ulaw";
  const key = `${tune}:${sampleRate}:${isCoded}`;
  let loop = samples.get(key);
  if (loop === undefined) samples.set(key, (loop = isCoded ? encodeMuLaw(asPcm(tune, sampleRate)) : asPcm(tune, sampleRate)));
  const bytesPerSample = isCoded ? 1 : 2;
  const count = Math.max(1, Math.round(seconds * sampleRate));
  const raw = Buffer.allocUnsafe(count * bytesPerSample).fill(loop);
  const contentType = { pcm: "audio/pcm", wav: "audio/wav", ulaw: "audio/basic" }[encoding as "pcm" | "wav" | "ulaw"];
  return {
    bytes: encoding === "wav" ? wrapWav(raw, sampleRate) : raw,
    seconds: count / sampleRate,
    kbps: (sampleRate * bytesPerSample * 8) / 1000,
    contentType,
  };
}

/** Signed 16 bits, little end first. */
function asPcm(tune: number, sampleRate: number): Buffer {
  const played = playTune(tune, sampleRate);
  const pcm = Buffer.allocUnsafe(played.length * 2);
  for (const [at, sample] of played.entries()) pcm.writeInt16LE(Math.round(sample * 32_767), at * 2);
  return pcm;
}

// Mu-law (ITU-T G.711): a sample of 16 bits in one byte, as telephones have it.

const bias = 132;
const clippingLevel = 32_635;

function encodeMuLaw(pcm: Buffer): Buffer {
  const coded = Buffer.allocUnsafe(pcm.length / 2);
  for (let at = 0; at < coded.length; at += 1) coded[at] = encodeSample(pcm.readInt16LE(at * 2));
  return coded;
}

function encodeSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), clippingLevel) + bias;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 15;
  return ~(sign | (exponent << 4) | mantissa) & 255;
}

// Audio as it comes from a model that still speaks: in pieces that end anywhere, in the middle of a sample too.

/** So that a short sentence can break in its middle as well. */
const piecesMin = 8;
const pieceBytesMax = 16_381;

export function* cutIntoPieces(bytes: Buffer): Iterable<Buffer> {
  const pieceBytes = Math.max(1, Math.min(pieceBytesMax, Math.floor(bytes.length / piecesMin)));
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
