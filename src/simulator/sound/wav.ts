// WAV files (RIFF): a header around PCM that was made, and the reading of those that were sent.

interface WavFacts {
  seconds: number;
  /** No sample is louder than the last bits of a recording. */
  isSilent: boolean;
}

const headerBytes = 44;
const pcmFormat = 1;
const extensibleFormat = 0xfffe;
/** Of 16 bits: what dithering leaves. */
const quietest = 3;

/** One channel of 16 bits. */
export function wrapWav(pcm: Buffer, sampleRate: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(headerBytes - 8 + pcm.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(pcmFormat, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([header, pcm]);
}

/** Null for bytes that are no WAV file with samples. */
export function readWav(bytes: Buffer): WavFacts | null {
  let bytesPerSecond = 0;
  let bits = 0;
  let isPcm = false;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === "fmt " && content.length >= 16) {
      isPcm = [pcmFormat, extensibleFormat].includes(content.readUInt16LE(0));
      bytesPerSecond = content.readUInt32LE(8);
      bits = content.readUInt16LE(14);
    }
    if (name === "data") {
      if (bytesPerSecond === 0) return null;
      // A writer that streams leaves the length open: what is there counts.
      return { seconds: content.length / bytesPerSecond, isSilent: isPcm && isQuiet(content, bits) };
    }
    at += 8 + length + (length & 1);
  }
  return null;
}

function isQuiet(samples: Buffer, bits: number): boolean {
  if (bits === 16) {
    for (let at = 0; at + 2 <= samples.length; at += 2) if (Math.abs(samples.readInt16LE(at)) > quietest) return false;
    return true;
  }
  // Eight bits are counted from 128.
  const zero = bits === 8 ? 128 : 0;
  return samples.every((byte) => byte === zero);
}
