// Mu-law of telephony (ITU-T G.711): 8 bits a sample, its loudness in steps that grow with it.

const bias = 0x84;
const loudest = 32_635;

/** Of PCM in whole samples. */
export function muLawOf(pcm: Buffer): Buffer {
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
