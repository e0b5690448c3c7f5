// The eight audio formats that a request may name (docs/behaviour/audio.md#speech). convert.ts converts to them. And WAV, as providers
// return it.

export type AudioFormat =
  "mp3_44100_128" | "mp3_44100_192" | "mp3_22050_32" | "pcm_16000" | "pcm_22050" | "pcm_24000" | "pcm_44100" | "ulaw_8000";

export interface FormatFacts {
  encoding: "mp3" | "pcm" | "ulaw";
  /** Sample rate in Hz, one channel. */
  sampleRate: number;
  /** Bit rate of mp3; null elsewhere. */
  kbps: number | null;
  contentType: "audio/mpeg" | "audio/pcm" | "audio/basic";
  /** File extension of a stored file. */
  extension: "mp3" | "pcm" | "ulaw";
}

export const audioFormats: Readonly<Record<AudioFormat, FormatFacts>> = {
  mp3_44100_128: mp3(44_100, 128),
  mp3_44100_192: mp3(44_100, 192),
  mp3_22050_32: mp3(22_050, 32),
  pcm_16000: pcm(16_000),
  pcm_22050: pcm(22_050),
  pcm_24000: pcm(24_000),
  pcm_44100: pcm(44_100),
  ulaw_8000: { encoding: "ulaw", sampleRate: 8_000, kbps: null, contentType: "audio/basic", extension: "ulaw" },
};

/** OpenAI's names for them. */
const aliases: Readonly<Record<string, AudioFormat>> = { mp3: "mp3_44100_128", pcm: "pcm_24000" };

/** The contract's validator accepts only formats and their aliases. */
export function formatOf(asked: AudioFormat | "mp3" | "pcm" | null | undefined): AudioFormat {
  if (asked == null) return "mp3_44100_128";
  return aliases[asked] ?? (asked as AudioFormat);
}

function mp3(sampleRate: number, kbps: number): FormatFacts {
  return { encoding: "mp3", sampleRate, kbps, contentType: "audio/mpeg", extension: "mp3" };
}

function pcm(sampleRate: number): FormatFacts {
  return { encoding: "pcm", sampleRate, kbps: null, contentType: "audio/pcm", extension: "pcm" };
}

// Reads PCM of 16 bits from a WAV file and mixes its channels to one. Other WAV files are refused.

interface WavSound {
  sampleRate: number;
  /** One channel. */
  pcm: Buffer;
}

const rates = new Set([8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]);
const channelsMax = 8;

export function isWav(file: Buffer): boolean {
  return file.length >= 12 && file.toString("latin1", 0, 4) === "RIFF" && file.toString("latin1", 8, 12) === "WAVE";
}

/** Null where it holds no 16-bit PCM. A truncated file ends where it was cut. */
export function readWav(file: Buffer): WavSound | null {
  if (!isWav(file)) return null;
  let format: { channels: number; sampleRate: number } | null = null;
  for (let at = 12; at + 8 <= file.length;) {
    const name = file.toString("latin1", at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const content = file.subarray(at + 8, at + 8 + length); // a streamed file says 0xffffffff: read to the end
    if (name === "fmt ") format = readFormat(content);
    if (name === "data") return format && { sampleRate: format.sampleRate, pcm: mixedDown(content, format.channels) };
    at += 8 + length + (length & 1);
  }
  return null;
}

function readFormat(content: Buffer): { channels: number; sampleRate: number } | null {
  if (content.length < 16) return null;
  const tag = content.readUInt16LE(0);
  const kind = tag === 0xfffe && content.length >= 26 ? content.readUInt16LE(24) : tag; // the extensible format has the real tag later
  const channels = content.readUInt16LE(2);
  const sampleRate = content.readUInt32LE(4);
  const fits = kind === 1 && content.readUInt16LE(14) === 16 && channels >= 1 && channels <= channelsMax && rates.has(sampleRate);
  return fits ? { channels, sampleRate } : null;
}

/** Mixes interleaved channels to one: their mean. */
export function mixedDown(pcm: Buffer, channels: number): Buffer {
  if (channels === 1) return pcm.subarray(0, pcm.length & ~1);
  const frames = Math.floor(pcm.length / (2 * channels));
  const mixed = Buffer.allocUnsafe(frames * 2);
  for (let frame = 0; frame < frames; frame += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += pcm.readInt16LE((frame * channels + channel) * 2);
    mixed.writeInt16LE(Math.round(sum / channels), frame * 2);
  }
  return mixed;
}
