// POST /audio/transcriptions and /audio/translations: what was heard, in the format that was asked for.
import type { Directives } from "../directive-list.ts";
import { writeWords } from "../prose.ts";
import { type Ask, jsonReply, type Plan, type StreamReply, type WholeReply } from "../protocol.ts";
import { readForm } from "../read-form.ts";
import type { Fields, Refusal } from "../request-fields.ts";
import { digest, type Random, seededRandom, wholeBetween } from "../seed.ts";
import { nameLanguage, readTranscriptionRequest, type TranscriptionRequest } from "./transcription-request.ts";

/** As OpenAI's models count. */
const audioTokensPerSecond = 10;

const noSpeech: Heard = { text: "", segments: [] };

export const planTranscription = (ask: Ask): Plan => plan(ask, "transcribe");
/** What is heard is English already. */
export const planTranslation = (ask: Ask): Plan => plan(ask, "translate");

function plan({ body, headers }: Ask, task: TranscriptionRequest["task"]): Plan {
  const form = readForm(body, headers["content-type"] ?? "");
  const request = readTranscriptionRequest(form, task);
  const { model, directives, file, sound, temperature } = request;
  const heard = sound.isSilent || directives.noSpeech ? noSpeech : hear(file.bytes, sound.seconds, temperature, directives);
  const reply = request.stream ? stream(request, heard) : render(request, heard);
  return { model, directives, parts: form.parts, reply, rewordRefusal: rewordForTranscriptions, bytes: 0 };
}

function render(request: TranscriptionRequest, heard: Heard): WholeReply {
  const { directives, sound } = request;
  const text = directives.noText ? {} : { text: heard.text };
  switch (request.format) {
    case "text":
      return textReply(`${heard.text}\n`);
    case "srt":
      return textReply(heard.segments.map((segment) => `${segment.id + 1}\n${times(segment, ",")}\n${segment.text.trim()}\n\n`).join(""));
    case "vtt":
      return textReply(`WEBVTT\n\n${heard.segments.map((segment) => `${times(segment, ".")}\n${segment.text.trim()}\n\n`).join("")}`);
    case "json":
      return jsonReply(200, JSON.stringify({ ...text, usage: { type: "duration", seconds: Math.ceil(sound.seconds) } }));
    case "diarized_json": {
      const answer = { task: request.task, duration: sound.seconds, ...text, segments: tellSpeakers(request, heard.segments) };
      return jsonReply(200, JSON.stringify({ ...answer, usage: { type: "duration", seconds: Math.ceil(sound.seconds) } }));
    }
    case "verbose_json": {
      const answer = { task: request.task, ...tellLanguage(request), duration: sound.seconds, ...text };
      return jsonReply(200, JSON.stringify({ ...answer, ...tellTimes(request, heard.segments) }));
    }
  }
}

/** A word in each delta; of silence only the end. */
function stream(request: TranscriptionRequest, { text, segments }: Heard): StreamReply {
  const { directives, sound } = request;
  const deltas = text.match(/\s*\S+/g) ?? [];
  const audio = Math.ceil(sound.seconds * audioTokensPerSecond);
  const tokens = { input_tokens: audio, input_token_details: { text_tokens: 0, audio_tokens: audio }, output_tokens: deltas.length };
  const usage = directives.noUsage ? {} : { usage: { type: "tokens", total_tokens: audio + deltas.length, ...tokens } };
  const events = [
    ...deltas.map((delta) => ({ type: "transcript.text.delta", delta })),
    ...(request.format === "diarized_json" ? tellSpeakers(request, segments) : []),
    { type: "transcript.text.done", text, ...usage },
  ];
  return { kind: "stream", records: () => events.map((event) => JSON.stringify(event)), terminator: null };
}

/** The speakers take turns. */
function tellSpeakers({ directives, speakers }: TranscriptionRequest, segments: Segment[]): Fields[] {
  if (directives.noSegments) return [];
  return segments.map(({ id, start, end, text }) => {
    const speaker = speakers[id % speakers.length];
    return { type: "transcript.text.segment", id: `seg_${id}`, start, end, text: text.trim(), speaker };
  });
}

function tellLanguage({ directives, language }: TranscriptionRequest): Fields {
  const code = language ?? "en";
  return directives.noLanguage ? {} : { language: directives.languageCode ? code : nameLanguage(code) };
}

function tellTimes({ directives, withSegments, withWords }: TranscriptionRequest, segments: Segment[]): Fields {
  const shown = directives.bareSegments
    ? segments.map(({ start, end, text }) => ({ start, end, text }))
    : directives.untimedSegments
      ? segments.map(({ id, text }) => ({ id, text }))
      : directives.emptySegments
        ? []
        : segments;
  return {
    ...(withWords ? { words: segments.flatMap(timeWords) } : {}),
    ...(withSegments && !directives.noSegments ? { segments: shown } : {}),
  };
}

/** Each word takes the same time. */
function timeWords({ start, end, text }: Segment): Fields[] {
  const words = text.trim().replace(/\.$/, "").split(" ");
  const at = (index: number) => Math.round((start + ((end - start) * index) / words.length) * 100) / 100;
  return words.map((word, index) => ({ word, start: at(index), end: at(index + 1) }));
}

function times({ start, end }: Segment, point: string): string {
  return `${clock(start, point)} --> ${clock(end, point)}`;
}

function clock(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${String(ms % 1000).padStart(3, "0")}`;
}

function textReply(text: string): WholeReply {
  const body = Buffer.from(text);
  const headers = { "content-type": "text/plain; charset=utf-8", "content-length": String(body.length) };
  return { kind: "whole", status: 200, headers, body };
}

function rewordForTranscriptions(refusal: Refusal): Refusal {
  if (refusal.code === "unsupported_value")
    return { ...refusal, code: "invalid_value", param: "language", message: "Invalid value for 'language'." };
  if (refusal.code === "context_length_exceeded") {
    return { ...refusal, code: "string_above_max_length", param: "prompt", message: "Invalid 'prompt': string too long." };
  }
  return refusal;
}

// What is heard in a file: words that follow from its bytes, in segments that cover all of its length, some words a second.

/** As Whisper's hosts write it. */
interface Segment {
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

interface Heard {
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
function hear(bytes: Buffer, seconds: number, temperature: number, directives: Directives): Heard {
  const random = seededRandom(`${fingerprint(bytes)}:${seconds}`);
  const segments: Segment[] = [];
  for (let start = 0; start < seconds;) {
    const wanted = wholeBetween(random, segmentSecondsMin, segmentSecondsMax);
    // What would be left for a segment of its own is too little: it belongs to this one.
    const end = seconds - start - wanted < segmentSecondsMin ? seconds : start + wanted;
    segments.push(writeSegment(random, segments.length, start, end, temperature, directives));
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

/** For a large file only its ends and its length: enough to distinguish it from others. */
function fingerprint(bytes: Buffer): string {
  const ends = Buffer.concat([bytes.subarray(0, hashedBytes), bytes.subarray(-hashedBytes)]);
  return digest(`${bytes.length}:${ends.toString("latin1")}`);
}

/** Speech begins with a capital letter and ends with a full stop; silence is what Whisper famously makes of it. */
function writeSegment(random: Random, id: number, start: number, end: number, temperature: number, directives: Directives): Segment {
  const words = writeWords(random, Math.max(1, Math.round((end - start) * wordsPerSecond)));
  const isSilence = directives.noSpeechSegments !== undefined;
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
