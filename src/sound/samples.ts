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
