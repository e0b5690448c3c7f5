// Whether a transcript says anything, and whether it says when.
import type { Transcript } from "../providers/audio.ts";

/** Above and below which Whisper itself takes a segment for silence (no_speech_threshold, logprob_threshold). */
const noSpeechProbMin = 0.6;
const logProbMax = -1;

export function isSilent({ text, segments }: Transcript): boolean {
  if (text.trim() === "") return true;
  if (segments === null || segments.length === 0) return false;
  return segments.every(({ no_speech_prob, avg_logprob }) => no_speech_prob > noSpeechProbMin && avg_logprob < logProbMax);
}

/** At least one segment has text: a subtitle file of it has a cue. */
export function hasTimes({ segments }: Transcript): boolean {
  return segments !== null && segments.some(({ text }) => text.trim() !== "");
}
