// Recordings for the benchmark, made here: an MP3 whose frames repeat, and a WAV, of any size.
import { createMp3Encoder } from "wasm-media-encoders";

const sampleRate = 44_100;

/** 128 kbit/s, one channel, frames alone: two of them one after the other are a longer one. */
export async function mp3Of(seconds: number): Promise<Buffer> {
  const encoder = await createMp3Encoder();
  encoder.configure({ sampleRate, channels: 1, bitrate: 128 });
  const samples = Float32Array.from(
    { length: seconds * sampleRate },
    (_, at) => 0.3 * Math.sin((at * 2 * Math.PI * (220 + (at % 440))) / sampleRate),
  );
  // What the encoder returns is its own memory and is written over by the next call.
  return Buffer.concat([Buffer.from(encoder.encode([samples])), Buffer.from(encoder.finalize())]);
}

/** 16 kHz, 16 bits, one channel: the head of a file of `bytes`, whose samples are 0. */
export function wavHead(bytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(bytes - 8, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(16_000, 24);
  head.writeUInt32LE(32_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(bytes - 44, 40);
  return head;
}
