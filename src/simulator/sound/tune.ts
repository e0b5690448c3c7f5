// What all made audio sounds like: short tunes of clear notes, several seconds long, that begin and end in silence and so can go round.
import { seededRandom, wholeBetween } from "../seed.ts";

/** Several, so that two texts of one length rarely sound the same. */
export const tunesCount = 8;
const tuneSeconds = 4;
const noteSeconds = 0.25;
const loudness = 0.4;
/** Of a note, at its beginning and its end. */
const fadeShare = 0.1;
/** A pentatonic scale from 220 Hz on: below what 8000 samples a second can carry. */
const semitones = [0, 2, 4, 7, 9, 12, 14, 16];

/** One channel, from -1 to 1. */
export function playTune(tune: number, sampleRate: number): Float32Array {
  const random = seededRandom(`tune ${tune}`);
  const samples = new Float32Array(tuneSeconds * sampleRate);
  const noteLength = noteSeconds * sampleRate;
  for (let begins = 0; begins < samples.length; begins += noteLength) {
    const frequency = 220 * 2 ** (semitones[wholeBetween(random, 0, semitones.length - 1)]! / 12);
    const first = Math.ceil(begins);
    const end = Math.min(samples.length, Math.ceil(begins + noteLength));
    for (let at = first; at < end; at += 1) {
      const place = (at - begins) / noteLength;
      const fade = Math.min(1, place / fadeShare, (1 - place) / fadeShare);
      samples[at] = loudness * fade * Math.sin((2 * Math.PI * frequency * (at - begins)) / sampleRate);
    }
  }
  return samples;
}
