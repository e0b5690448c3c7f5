// What a host of the OpenAI family says that it heard, in one form: fields that it leaves out are filled as WIRE.md 13.4 says.
import { unreadable } from "../transport/json-answer.ts";
import type { Segment, Transcript } from "../audio.ts";
import { arrayOf, isObject, type Json, textOf } from "../json/read.ts";

/** A segment is a sentence or half of one; written out it takes ten times what a short one came as. */
const segmentsPerSecond = 5;
const leastSegmentsMax = 1_000;

/** Throws UpstreamError `unreadable` for an answer without a text or with far too many segments. `seconds` is how long the recording lasts: nothing in it is later. */
export function readTranscript(answer: Json, seconds: number): Transcript {
  const segments = Array.isArray(answer["segments"]) ? readSegments(answer["segments"], seconds) : null;
  const text = typeof answer["text"] === "string" ? answer["text"] : segments?.map((segment) => segment.text).join("");
  if (text === undefined) throw unreadable("the answer has no text");
  return { language: textOf(answer["language"]), text, segments };
}

/** In the order of time, numbered anew. Null where one of them is none, or has no time: the rest would be a transcript with holes. */
function readSegments(list: unknown[], seconds: number): Segment[] | null {
  if (list.length > leastSegmentsMax + seconds * segmentsPerSecond) throw unreadable("the answer has more segments than anybody says");
  const read = list.map((entry) => readSegment(entry, seconds));
  if (read.some((segment) => segment === null)) return null;
  const segments = read as Segment[];
  return segments.sort((one, other) => one.start - other.start).map((segment, id) => ({ ...segment, id }));
}

function readSegment(entry: unknown, seconds: number): Segment | null {
  if (!isObject(entry)) return null;
  const { text } = entry;
  const start = numberOf(entry["start"], NaN);
  const end = numberOf(entry["end"], NaN);
  if (typeof text !== "string" || Number.isNaN(start) || Number.isNaN(end)) return null;
  const from = clamp(start, 0, seconds);
  return {
    id: 0,
    seek: Math.max(0, Math.trunc(numberOf(entry["seek"], 0))),
    start: from,
    end: clamp(end, from, seconds),
    text,
    tokens: arrayOf(entry["tokens"]).filter((token): token is number => Number.isSafeInteger(token)),
    temperature: numberOf(entry["temperature"], 0),
    avg_logprob: numberOf(entry["avg_logprob"], 0),
    compression_ratio: numberOf(entry["compression_ratio"], 1),
    no_speech_prob: numberOf(entry["no_speech_prob"], 0),
  };
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), Math.max(least, most));
}
