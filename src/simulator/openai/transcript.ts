// What is heard in a file: words that follow from its bytes, in segments that cover all of its length, some words a second.
import type { Knobs } from "../knob-list.ts";
import { writeWords } from "../prose.ts";
import { digest, type Random, seededRandom, wholeBetween } from "../seed.ts";

/** As Whisper's hosts write it. */
export interface Segment {
  id: number;
  seek: number;
  start: number;
  end: number;
  text: string;
  tokens: number[];
  temperature: number;
  avg_logprob: number;
  compression_ratio: number;
  no_speech_prob: number;
}

export interface Heard {
  text: string;
  segments: Segment[];
}

const wordsPerSecond = 2.5;
const segmentSecondsMin = 3;
const segmentSecondsMax = 7;
/** Whisper listens to half a minute at a time and counts in hundredths. */
const windowSeconds = 30;
const hashedBytes = 64 * 1024;

/** The same words in every format, of every model. */
export function hear(bytes: Buffer, seconds: number, temperature: number, knobs: Knobs): Heard {
  const random = seededRandom(`${fingerprint(bytes)}:${seconds}`);
  const segments: Segment[] = [];
  for (let start = 0; start < seconds;) {
    const wanted = wholeBetween(random, segmentSecondsMin, segmentSecondsMax);
    // What would be left for a segment of its own is too little: it belongs to this one.
    const end = seconds - start - wanted < segmentSecondsMin ? seconds : start + wanted;
    segments.push(writeSegment(random, segments.length, start, end, temperature, knobs));
    start = end;
  }
  return {
    text: segments
      .map(({ text }) => text)
      .join("")
      .trimStart(),
    segments,
  };
}

/** Of a large file its ends and its length: enough to tell it from others. */
function fingerprint(bytes: Buffer): string {
  const ends = Buffer.concat([bytes.subarray(0, hashedBytes), bytes.subarray(-hashedBytes)]);
  return digest(`${bytes.length}:${ends.toString("latin1")}`);
}

/** Speech begins with a capital letter and ends with a full stop; silence is what Whisper famously makes of it. */
function writeSegment(random: Random, id: number, start: number, end: number, temperature: number, knobs: Knobs): Segment {
  const words = writeWords(random, Math.max(1, Math.round((end - start) * wordsPerSecond)));
  const isSilence = knobs.noSpeechSegments !== undefined;
  const text = isSilence ? " Thank you." : ` ${words[0]!.toUpperCase()}${words.slice(1)}.`;
  return {
    id,
    seek: Math.floor(start / windowSeconds) * windowSeconds * 100,
    start: round(start),
    end: round(end),
    text,
    tokens: text
      .trim()
      .split(" ")
      .map((word) => Number.parseInt(digest(word).slice(0, 4), 16) % 50_000),
    temperature,
    avg_logprob: round((isSilence ? -1.6 : -0.5) + random() * 0.4),
    compression_ratio: round(1.1 + random() * 0.6),
    no_speech_prob: round((isSilence ? 0.8 : 0.01) + random() * 0.1),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
