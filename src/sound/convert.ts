// Sound in any of the eight formats from PCM of one channel, whole or as it comes. What the formats are is formats.ts's.
import { setImmediate as nextTurn } from "node:timers/promises";
import { createMp3Encoder } from "wasm-media-encoders";
import { type AudioFormat, audioFormats, type FormatFacts } from "./formats.ts";
import { openResampler } from "./resample.ts";

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

// MP3 of one channel at a constant bit rate, by LAME in WebAssembly. Each encoder has about a megabyte of its own.

interface Mp3Encoder {
  encode(samples: Float32Array): Buffer;
  /** The last frames. */
  end(): Buffer;
}

type Bitrate = 32 | 128 | 192;

async function openMp3Encoder(sampleRate: number, kbps: number): Promise<Mp3Encoder> {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate, bitrate: kbps as Bitrate });
  return {
    encode: (samples) => Buffer.from(encoder.encode([samples])), // copied: the bytes are the encoder's own
    end: () => Buffer.from(encoder.finalize()),
  };
}

// Mu-law of telephony (ITU-T G.711): 8 bits a sample, its loudness in steps that grow with it.

const bias = 0x84;
const loudest = 32_635;

/** Of PCM in whole samples. */
function muLawOf(pcm: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(pcm.length >> 1);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = encoded[pcm[at * 2]! | (pcm[at * 2 + 1]! << 8)]!;
  return bytes;
}

/** Of each sample, by its 16 bits. */
const encoded = Uint8Array.from({ length: 65_536 }, (_, bits) => encode((bits << 16) >> 16));

function encode(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), loudest) + bias;
  const exponent = 24 - Math.clz32(magnitude); // the highest bit is the 7th to the 14th
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

// PCM as it travels (16-bit little-endian, one channel) and as it is reckoned with (floats from -1 to 1).

// Bytes are put together by hand: a Buffer's own methods check their arguments at every sample, which costs more than the rest.

/** Of whole samples. */
export function samplesOf(pcm: Buffer): Float32Array {
  const samples = new Float32Array(pcm.length >> 1);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (((pcm[at * 2]! | (pcm[at * 2 + 1]! << 8)) << 16) >> 16) / 32_768;
  return samples;
}

/** Louder than full scale is cut, never wrapped. */
export function pcmOf(samples: Float32Array): Buffer {
  const pcm = Buffer.allocUnsafe(samples.length * 2);
  for (let at = 0; at < samples.length; at += 1) {
    const sample = Math.max(-32_768, Math.min(32_767, Math.round(samples[at]! * 32_768)));
    pcm[at * 2] = sample & 0xff;
    pcm[at * 2 + 1] = (sample >> 8) & 0xff;
  }
  return pcm;
}

/** Pieces of a stream, cut to whole samples: half of one is kept for the next piece. A half at the very end is nobody's sound. */
export function openSampleCutter(): (piece: Buffer) => Buffer {
  let half: Buffer | null = null;
  return (piece) => {
    const joined = half === null ? piece : Buffer.concat([half, piece]);
    const whole = joined.length & ~1;
    half = whole === joined.length ? null : Buffer.from(joined.subarray(whole));
    return joined.subarray(0, whole);
  };
}
