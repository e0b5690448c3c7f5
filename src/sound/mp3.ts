// MP3 of one channel at a constant bit rate, by LAME in WebAssembly. Each encoder has about a megabyte of its own.
import { createMp3Encoder } from "wasm-media-encoders";

export interface Mp3Encoder {
  encode(samples: Float32Array): Buffer;
  /** The last frames. */
  end(): Buffer;
}

type Bitrate = 32 | 128 | 192;

export async function openMp3Encoder(sampleRate: number, kbps: number): Promise<Mp3Encoder> {
  const encoder = await createMp3Encoder();
  encoder.configure({ channels: 1, sampleRate, bitrate: kbps as Bitrate });
  return {
    encode: (samples) => Buffer.from(encoder.encode([samples])), // copied: the bytes are the encoder's own
    end: () => Buffer.from(encoder.finalize()),
  };
}
