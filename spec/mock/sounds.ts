// A quarter of a second of silence in each audio type that the contract answers with.

/** One frame of MPEG-1 layer III: 44.1 kHz, 128 kbit/s, mono, all of it zero but the header. */
const frame = Buffer.alloc(417);
frame.writeUInt32BE(0xfffb90c4);

const sounds: Record<string, Buffer<ArrayBuffer>> = {
  "audio/mpeg": Buffer.concat(Array<Buffer>(10).fill(frame)),
  "audio/pcm": Buffer.alloc(12_000),
  "audio/basic": Buffer.alloc(2_000, 0xff),
};

/** Undefined where the type is no sound. */
export function soundOf(contentType: string): Buffer<ArrayBuffer> | undefined {
  return sounds[contentType];
}
