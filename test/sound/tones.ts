// Tones to convert, and measurements of the result: pitch and loudness.
import { pcmOf } from "../../src/sound/convert.ts";

export function tone(hertz: number, sampleRate: number, seconds: number, loudness = 0.5): Float32Array {
  return Float32Array.from(
    { length: Math.round(sampleRate * seconds) },
    (_, at) => loudness * Math.sin((2 * Math.PI * hertz * at) / sampleRate),
  );
}

export function tonePcm(hertz: number, sampleRate: number, seconds: number, loudness = 0.5): Buffer {
  return pcmOf(tone(hertz, sampleRate, seconds, loudness));
}

/** How loud one pitch is in the middle of a sound: the amplitude of its sine (Goertzel). */
export function loudnessAt(hertz: number, samples: Float32Array, sampleRate: number): number {
  const middle = samples.subarray(Math.floor(samples.length * 0.2), Math.floor(samples.length * 0.8));
  let real = 0;
  let imaginary = 0;
  middle.forEach((sample, at) => {
    const angle = (2 * Math.PI * hertz * at) / sampleRate;
    const window = 1 - Math.cos((2 * Math.PI * at) / middle.length); // Hann, mean 1
    real += sample * window * Math.cos(angle);
    imaginary += sample * window * Math.sin(angle);
  });
  return (2 * Math.hypot(real, imaginary)) / middle.length;
}

/** The mean power of the middle, as the amplitude of a sine of that power. */
export function loudness(samples: Float32Array): number {
  const middle = samples.subarray(Math.floor(samples.length * 0.2), Math.floor(samples.length * 0.8));
  return Math.sqrt((2 * middle.reduce((sum, sample) => sum + sample * sample, 0)) / middle.length);
}
