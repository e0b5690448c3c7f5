// What audio that was made really holds, by an MP3 decoder of other people and by counting samples.
import { MPEGDecoder } from "mpg123-decoder";

export interface Heard {
  seconds: number;
  sampleRate: number;
  /** The highest sample, from 0 to 1. */
  loudest: number;
}

/** Throws for bytes that don't decode from the first to the last. */
export async function decodeMp3(bytes: Buffer): Promise<Heard> {
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  try {
    const { channelData, samplesDecoded, sampleRate, errors } = decoder.decode(bytes);
    if (errors.length > 0) throw new Error(`not decoded: ${errors[0]!.message}`);
    return { seconds: samplesDecoded / sampleRate, sampleRate, loudest: Math.max(...channelData.map(loudestOf)) };
  } finally {
    decoder.free();
  }
}

/** Sixteen bits, one channel. */
export function readPcm(bytes: Buffer, sampleRate: number): Heard {
  const samples = Float32Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2) / 32_768);
  return { seconds: samples.length / sampleRate, sampleRate, loudest: loudestOf(samples) };
}

/** Header of 44 bytes, then PCM. */
export function readWavFile(bytes: Buffer): Heard {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.readUInt32LE(40) !== bytes.length - 44) throw new Error("no WAV file");
  return readPcm(bytes.subarray(44), bytes.readUInt32LE(24));
}

/** A WAV file of so many seconds, silent or of noise. */
export function wavFile(seconds: number, { isSilent = false, sampleRate = 8000 } = {}): Buffer {
  const data = Buffer.alloc(Math.round(seconds * sampleRate) * 2);
  if (!isSilent) for (let at = 0; at < data.length; at += 2) data.writeInt16LE(((at * 7919) % 20_000) - 10_000, at);
  const header = Buffer.alloc(44);
  header.write("RIFF....WAVEfmt ", 0, "latin1");
  header.writeUInt32LE(data.length + 36, 4);
  for (const [at, value] of [
    [16, 16],
    [24, sampleRate],
    [28, sampleRate * 2],
    [40, data.length],
  ] as const)
    header.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    header.writeUInt16LE(value, at);
  header.write("data", 36, "latin1");
  return Buffer.concat([header, data]);
}

function loudestOf(samples: Float32Array): number {
  return samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0);
}
