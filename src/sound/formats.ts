// The eight audio formats that a request may name (docs/behaviour/audio.md#speech). convert.ts converts to them.

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
