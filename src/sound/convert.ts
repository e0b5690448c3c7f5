// Sound in any of the eight formats from PCM of one channel, whole or as it comes. What the formats are is formats.ts's.
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AudioFormat, audioFormats, type FormatFacts } from "./formats.ts";
import { muLawOf } from "./mu-law.ts";
import { openMp3Encoder } from "./mp3.ts";
import { openResampler } from "./resample.ts";
import { openSampleCutter, pcmOf, samplesOf } from "./samples.ts";

/** Turns PCM into a format. Its pieces may end anywhere, in mid-sample too; what it gives back may be empty. */
export interface Conversion {
  push(piece: Buffer): Buffer;
  /** What is still inside; empty where there was no sample, of which an encoder would make a moment of silence. */
  end(): Buffer;
}

type Give = (piece: Buffer) => void | Promise<void>;

/** A third of a second of speech or more: some milliseconds of work between two turns of the event loop. */
const sliceBytes = 32_768;

/** `fromRate`: samples a second of the PCM that will be pushed. */
export async function openConversion(fromRate: number, format: AudioFormat): Promise<Conversion> {
  const facts = audioFormats[format];
  const cut = openSampleCutter();
  if (facts.encoding === "pcm" && facts.sampleRate === fromRate) return { push: cut, end: () => nothing };
  if (facts.encoding === "ulaw" && facts.sampleRate === fromRate) return { push: (piece) => muLawOf(cut(piece)), end: () => nothing };
  const resampler = facts.sampleRate === fromRate ? null : openResampler(fromRate, facts.sampleRate);
  const encoder = await openEncoder(facts);
  let isEmpty = true;
  return {
    push(piece) {
      const samples = samplesOf(cut(piece));
      if (samples.length > 0) isEmpty = false;
      return encoder.encode(resampler === null ? samples : resampler.push(samples));
    },
    end() {
      if (isEmpty) return nothing;
      const rest = resampler === null ? nothing : encoder.encode(resampler.end());
      return Buffer.concat([rest, encoder.end()]);
    },
  };
}

/** Converts one piece in slices, others' work in between; waits for what `give` returns. Empty results are not given. */
export async function convertPiece(conversion: Conversion, piece: Buffer, give: Give): Promise<void> {
  for (let from = 0; from < piece.length; from += sliceBytes) {
    if (from > 0) await nextTurn();
    const made = conversion.push(piece.subarray(from, from + sliceBytes));
    if (made.length > 0) await give(made);
  }
}

/** All of it at once; throws the signal's reason where it fired meanwhile. */
export async function convertWhole(pcm: Buffer, fromRate: number, format: AudioFormat, signal: AbortSignal): Promise<Buffer> {
  const conversion = await openConversion(fromRate, format);
  const pieces: Buffer[] = [];
  await convertPiece(conversion, pcm, (piece) => {
    signal.throwIfAborted();
    pieces.push(piece);
  });
  return Buffer.concat([...pieces, conversion.end()]);
}

const nothing = Buffer.alloc(0);

async function openEncoder({ encoding, sampleRate, kbps }: FormatFacts): Promise<{ encode(samples: Float32Array): Buffer; end(): Buffer }> {
  if (encoding === "mp3") return openMp3Encoder(sampleRate, kbps!);
  if (encoding === "pcm") return { encode: pcmOf, end: () => nothing };
  return { encode: (samples) => muLawOf(pcmOf(samples)), end: () => nothing };
}
