// The names of ElevenLabs for formats of audio, and which of them the simulator makes.
import type { SoundFormat } from "../sound/make-sound.ts";
import { refuseField } from "./errors.ts";

const rates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const made = new Map<string, SoundFormat>([
  ...["22050_32", "24000_48", "44100_32", "44100_64", "44100_96", "44100_128", "44100_192"].map(mp3),
  ...rates.map((sampleRate) => [`pcm_${sampleRate}`, { encoding: "pcm", sampleRate, kbps: 0 }] as const),
  ...rates.map((sampleRate) => [`wav_${sampleRate}`, { encoding: "wav", sampleRate, kbps: 0 }] as const),
  ["ulaw_8000", { encoding: "ulaw", sampleRate: 8000, kbps: 0 }],
]);
const notMade = ["alaw_8000", ...[32, 64, 96, 128, 192].map((kbps) => `opus_48000_${kbps}`)];

export function readOutputFormat(query: URLSearchParams): SoundFormat {
  const name = query.get("output_format") ?? "mp3_44100_128";
  const format = made.get(name);
  if (format !== undefined) return format;
  const reason = notMade.includes(name) ? "The simulator doesn't make this one." : `Input should be one of ${[...made.keys()].join(", ")}.`;
  return refuseField("output_format", reason, "query");
}

function mp3(name: string): readonly [string, SoundFormat] {
  const [sampleRate, kbps] = name.split("_").map(Number) as [number, number];
  return [`mp3_${name}`, { encoding: "mp3", sampleRate, kbps }];
}
