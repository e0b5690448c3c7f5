// A tune as MP3, encoded once for each rate and bitrate (LAME as WebAssembly) and then only repeated: a call costs a copy.
// The first frame needs nothing that came before it, so a loop of whole frames decodes wherever it begins anew.
import type { createMp3Encoder } from "wasm-media-encoders";
import { readMp3Frames } from "./mp3-frames.ts";
import { playTune } from "./tune.ts";

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
