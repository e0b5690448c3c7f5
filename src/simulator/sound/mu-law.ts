// Mu-law (ITU-T G.711): a sample of 16 bits in one byte, as telephones have it.

const bias = 132;
const clip = 32_635;

export function encodeMuLaw(pcm: Buffer): Buffer {
  const coded = Buffer.allocUnsafe(pcm.length / 2);
  for (let at = 0; at < coded.length; at += 1) coded[at] = encodeSample(pcm.readInt16LE(at * 2));
  return coded;
}

function encodeSample(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), clip) + bias;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 15;
  return ~(sign | (exponent << 4) | mantissa) & 255;
}
