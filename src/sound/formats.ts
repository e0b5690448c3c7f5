// The eight audio formats that a call may ask for, as data (gateway-api.md "POST /v1/audio/speech").
// Leaves turning one into another to convert.ts.

export type AudioFormat =
  "mp3_44100_128" | "mp3_44100_192" | "mp3_22050_32" | "pcm_16000" | "pcm_22050" | "pcm_24000" | "pcm_44100" | "ulaw_8000";

export interface FormatFacts {
  encoding: "mp3" | "pcm" | "ulaw";
  /** Samples a second, one channel. */
  sampleRate: number;
  /** Of mp3; null elsewhere. */
  kbps: number | null;
  contentType: "audio/mpeg" | "audio/pcm" | "audio/basic";
  /** Of a file that is kept. */
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

/** What OpenAI clients call them (WIRE.md 4.5). */
const aliases: Readonly<Record<string, AudioFormat>> = { mp3: "mp3_44100_128", pcm: "pcm_24000" };

/** The contract's validator has let only formats and their aliases through. */
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
