// Resamples audio with a windowed sinc: one set of weights for each phase between two input samples. Going down, it filters out what the
// lower rate can't hold, so that there is no aliasing.

interface Resampler {
  push(samples: Float32Array): Float32Array;
  /** The remaining samples: all outputs together last as long as the inputs. */
  end(): Float32Array;
}

/** Zero crossings to either side: with this window, stop-band attenuation is 80 dB. */
const crossings = 32;
const kaiserBeta = 7.86;
/** Cutoff relative to the lower Nyquist frequency: the transition ends where aliasing would begin. */
const cutoff = 0.92;

export function openResampler(from: number, to: number): Resampler {
  const divisor = greatestCommon(from, to);
  const up = to / divisor;
  const down = from / divisor;
  const reach = Math.ceil(crossings * Math.max(1, from / to));
  const bank = weightsOf(up, reach, cutoff * Math.min(1, to / from));
  let held = new Float32Array(reach - 1); // silence before the first sample
  let base = reach - 1; // the input sample at or before the next output, in `held`
  let phase = 0;
  let taken = 0;
  let made = 0;

  function push(samples: Float32Array, most = Infinity): Float32Array {
    const input = new Float32Array(held.length + samples.length);
    input.set(held);
    input.set(samples, held.length);
    const output = new Float32Array(Math.ceil(((samples.length + 1) * up) / down) + 1);
    let count = 0;
    while (base + reach < input.length && count < most) {
      output[count] = weighed(input, base - reach + 1, bank, phase * reach * 2, reach * 2);
      count += 1;
      phase += down;
      base += Math.floor(phase / up);
      phase %= up;
    }
    const used = Math.min(base - reach + 1, input.length);
    held = input.slice(used);
    base -= used;
    made += count;
    return output.subarray(0, count);
  }

  return {
    push(samples) {
      taken += samples.length;
      return push(samples);
    },
    end: () => push(new Float32Array(reach + 1), Math.ceil((taken * up) / down) - made),
  };
}

function weighed(input: Float32Array, from: number, bank: Float64Array, at: number, length: number): number {
  let sum = 0;
  for (let tap = 0; tap < length; tap += 1) sum += input[from + tap]! * bank[at + tap]!;
  return sum;
}

/** `2 * reach` weights for each phase; their sum is 1, so that silence and steady levels are unchanged. */
function weightsOf(phases: number, reach: number, share: number): Float64Array {
  const bank = new Float64Array(phases * reach * 2);
  for (let phase = 0; phase < phases; phase += 1) {
    const weights = bank.subarray(phase * reach * 2, (phase + 1) * reach * 2);
    for (let tap = 0; tap < weights.length; tap += 1) {
      const distance = tap - reach + 1 - phase / phases;
      weights[tap] = sinc(share * distance) * kaiser(distance / reach);
    }
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < weights.length; tap += 1) weights[tap]! /= sum;
  }
  return bank;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** 1 in the middle, near 0 at either end. */
function kaiser(place: number): number {
  return Math.abs(place) >= 1 ? 0 : bessel(kaiserBeta * Math.sqrt(1 - place * place)) / bessel(kaiserBeta);
}

/** The modified Bessel function of order 0. */
function bessel(x: number): number {
  let term = 1;
  let sum = 1;
  for (let step = 1; term > sum * 1e-12; step += 1) {
    term *= (x / (2 * step)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommon(one: number, other: number): number {
  return other === 0 ? one : greatestCommon(other, one % other);
}
