// When a transcript says nothing, by the thresholds that Whisper has.
import { expect, test } from "vitest";
import { hasTimes, isSilent } from "../../src/audio/transcribe.ts";
import type { Segment } from "../../src/providers/verbs/audio.ts";

const segment = (no_speech_prob: number, avg_logprob: number, text = "Thank you."): Segment => ({
  ...{ id: 0, seek: 0, start: 0, end: 1, text, tokens: [], temperature: 0, compression_ratio: 1 },
  ...{ no_speech_prob, avg_logprob },
});
const transcript = (text: string, segments: Segment[] | null) => ({ language: null, text, segments });

test.each([
  ["an empty text", transcript("", null), true],
  ["a blank text", transcript(" \n", []), true],
  ["a text without segments", transcript("Hello", null), false],
  ["a text with an empty list", transcript("Hello", []), false],
  ["no segment above both thresholds", transcript("Hello", [segment(0.01, -0.3)]), false],
  ["all segments beyond both", transcript("Thank you.", [segment(0.9, -1.5), segment(0.61, -1.01)]), true],
  ["one that speaks among them", transcript("Thank you. Hello", [segment(0.9, -1.5), segment(0.1, -1.5)]), false],
  ["likely silence that the model was sure of", transcript("Thank you.", [segment(0.9, -0.4)]), false],
  ["thresholds met but not passed", transcript("Thank you.", [segment(0.6, -1)]), false],
])("silent: %s", (_, heard, silent) => {
  expect(isSilent(heard)).toBe(silent);
});

test("a transcript has times where at least one segment has text", () => {
  expect([null, [], [segment(0, 0, " ")], [segment(0, 0, "Hello")]].map((segments) => hasTimes(transcript("Hello", segments)))).toEqual([
    ...[false, false, false],
    true,
  ]);
});
