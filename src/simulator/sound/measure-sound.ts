// What a file that was sent holds: how long it lasts and whether anything sounds in it, as far as its container says so.
import { hash } from "node:crypto";
import { readMp3Frames } from "./mp3-frames.ts";
import { readWav } from "./wav.ts";

type SoundKind = "wav" | "mp3" | "flac" | "ogg" | "mp4" | "webm";

export interface MeasuredSound {
  kind: SoundKind;
  seconds: number;
  /** Known of WAV, MP3 and FLAC; false for the others. */
  isSilent: boolean;
}

/** What a kind is guessed to have where its container isn't read: 64 kbit/s. */
const guessedBytesPerSecond = 8000;
/** Longer ones are taken for nonsense of the header. */
const secondsMax = 7 * 24 * 3600;
/** Of silence that is hashed at once. */
const zeroBytes = Buffer.alloc(1024 * 1024);

/** Null for bytes that are no audio. */
export function measureSound(bytes: Buffer): MeasuredSound | null {
  const kind = kindOf(bytes);
  if (kind === null) return null;
  const found = readers[kind](bytes);
  if (found === null) return null;
  const seconds = found.seconds > 0 && found.seconds <= secondsMax ? found.seconds : bytes.length / guessedBytesPerSecond;
  return { kind, ...found, seconds };
}

function kindOf(bytes: Buffer): SoundKind | null {
  const begin = bytes.toString("latin1", 0, 12);
  if (begin.startsWith("RIFF") && begin.endsWith("WAVE")) return "wav";
  if (begin.startsWith("fLaC")) return "flac";
  if (begin.startsWith("OggS")) return "ogg";
  if (begin.slice(4, 8) === "ftyp") return "mp4";
  if (begin.startsWith("\x1a\x45\xdf\xa3")) return "webm";
  return begin.startsWith("ID3") || (bytes[0] === 0xff && (bytes[1]! & 0xe0) === 0xe0) ? "mp3" : null;
}

type Found = { seconds: number; isSilent: boolean } | null;

const readers: Record<SoundKind, (bytes: Buffer) => Found> = {
  wav: readWav,
  mp3: readMp3,
  flac: readFlac,
  ogg: (bytes) => ({ seconds: readOggSeconds(bytes), isSilent: false }),
  mp4: (bytes) => ({ seconds: readMp4Seconds(bytes), isSilent: false }),
  webm: () => ({ seconds: 0, isSilent: false }),
};

function readMp3(bytes: Buffer): Found {
  let seconds = 0;
  let isSilent = true;
  for (const frame of readMp3Frames(bytes)) {
    seconds += frame.samples / frame.sampleRate;
    isSilent &&= frame.isSilent;
  }
  return seconds === 0 ? null : { seconds, isSilent };
}

/** STREAMINFO has the number of samples and the MD5 of the decoded samples; silence's MD5 is known without decoding. */
function readFlac(bytes: Buffer): Found {
  if (bytes.length < 42) return null;
  const info = bytes.subarray(8);
  const packed = info.readBigUInt64BE(10);
  const sampleRate = Number(packed >> 44n);
  const channels = Number((packed >> 41n) & 7n) + 1;
  const bits = Number((packed >> 36n) & 31n) + 1;
  const samples = Number(packed & 0xfffffffffn);
  if (sampleRate === 0) return null;
  const decoded = samples * channels * Math.ceil(bits / 8);
  const isSilent = samples > 0 && decoded <= zeroBytes.length * 64 && info.toString("hex", 18, 34) === hashZeros(decoded);
  return { seconds: samples / sampleRate, isSilent };
}

function hashZeros(length: number): string {
  return hash("md5", length <= zeroBytes.length ? zeroBytes.subarray(0, length) : Buffer.alloc(length), "hex");
}

/** The last page's position, in samples: Opus has 48000 a second, Vorbis says its own. */
function readOggSeconds(bytes: Buffer): number {
  const last = bytes.lastIndexOf("OggS");
  if (last + 14 > bytes.length) return 0;
  const vorbis = bytes.subarray(0, 256).indexOf("\x01vorbis");
  const sampleRate = vorbis < 0 ? 48_000 : bytes.readUInt32LE(vorbis + 12);
  return sampleRate === 0 ? 0 : Number(bytes.readBigInt64LE(last + 6)) / sampleRate;
}

/** The movie header's duration in its own units. */
function readMp4Seconds(bytes: Buffer): number {
  const at = bytes.indexOf("mvhd");
  if (at < 0 || at + 36 > bytes.length) return 0;
  const isLong = bytes[at + 4] === 1;
  const timescale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const duration = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  return timescale === 0 ? 0 : duration / timescale;
}
