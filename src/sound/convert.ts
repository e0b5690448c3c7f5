// Converts PCM of one channel to any of the eight formats (formats.ts), whole or as a stream.
import { setImmediate as nextTurn } from "node:timers/promises";
import { createMp3Encoder } from "wasm-media-encoders";
import { type AudioFormat, audioFormats, type FormatFacts } from "./formats.ts";
import { openResampler } from "./resample.ts";

/** A converter from PCM to a format. Chunks may end anywhere, also within a sample; results may be empty. */
export interface Conversion {
  push(piece: Buffer): Buffer;
  /** The rest; empty where there was no sample at all, of which an encoder would make a moment of silence. */
  end(): Buffer;
}

type Give = (piece: Buffer) => void | Promise<void>;

/** A third of a second of speech or more: a few milliseconds of work before the event loop runs again. */
const sliceBytes = 32_768;

/** `fromRate`: the sample rate of the PCM that will be pushed, in Hz. */
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

/** Converts one chunk in slices and yields between them; waits for what `give` returns. Empty results are not given. */
export async function convertPiece(conversion: Conversion, piece: Buffer, give: Give): Promise<void> {
  for (let from = 0; from < piece.length; from += sliceBytes) {
    if (from > 0) await nextTurn();
    const made = conversion.push(piece.subarray(from, from + sliceBytes));
    if (made.length > 0) await give(made);
  }
}

/** Converts everything; throws the signal's reason where it fired meanwhile. */
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
    encode: (samples) => Buffer.from(encoder.encode([samples])), // copied, because the encoder reuses its buffer
    end: () => Buffer.from(encoder.finalize()),
  };
}

// G.711 mu-law of telephony: 8 bits per sample, in steps that grow with loudness.

const bias = 0x84;
const loudest = 32_635;

/** Takes whole samples of PCM. */
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
  const exponent = 24 - Math.clz32(magnitude); // the highest bit, from the 7th to the 14th
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

// PCM as bytes (16-bit little-endian, one channel) and as numbers (floats from -1 to 1).

// Bytes are combined by hand: a Buffer's methods check their arguments at every sample, which costs more than the rest.

/** Of whole samples. */
export function samplesOf(pcm: Buffer): Float32Array {
  const samples = new Float32Array(pcm.length >> 1);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (((pcm[at * 2]! | (pcm[at * 2 + 1]! << 8)) << 16) >> 16) / 32_768;
  return samples;
}

/** Limits values beyond full scale instead of wrapping them. */
export function pcmOf(samples: Float32Array): Buffer {
  const pcm = Buffer.allocUnsafe(samples.length * 2);
  for (let at = 0; at < samples.length; at += 1) {
    const sample = Math.max(-32_768, Math.min(32_767, Math.round(samples[at]! * 32_768)));
    pcm[at * 2] = sample & 0xff;
    pcm[at * 2 + 1] = (sample >> 8) & 0xff;
  }
  return pcm;
}

/** Cuts a stream into whole samples: half a sample is kept for the next chunk, and dropped at the very end. */
export function openSampleCutter(): (piece: Buffer) => Buffer {
  let half: Buffer | null = null;
  return (piece) => {
    const joined = half === null ? piece : Buffer.concat([half, piece]);
    const whole = joined.length & ~1;
    half = whole === joined.length ? null : Buffer.from(joined.subarray(whole));
    return joined.subarray(0, whole);
  };
}
