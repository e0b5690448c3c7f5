// POST /audio/transcriptions: what was heard, in the format that was asked for.
import type { Ask, Plan, WholeReply } from "../protocol.ts";
import { jsonReply } from "../protocol.ts";
import { readForm } from "../read-form.ts";
import type { Refusal } from "../refused.ts";
import type { Fields } from "../request-fields.ts";
import { hear, type Heard, type Segment } from "./transcript.ts";
import { nameLanguage, readTranscriptionRequest, type TranscriptionRequest } from "./transcription-request.ts";

const noSpeech: Heard = { text: "", segments: [] };

export function planTranscription({ body, headers }: Ask): Plan {
  const form = readForm(body, headers["content-type"] ?? "");
  const request = readTranscriptionRequest(form);
  const { model, knobs, file, sound, temperature } = request;
  const heard = sound.isSilent || knobs.noSpeech ? noSpeech : hear(file.bytes, sound.seconds, temperature, knobs);
  return { model, knobs, parts: form.parts, reply: render(request, heard), rewordRefusal: rewordForTranscriptions, bytes: 0 };
}

function render(request: TranscriptionRequest, heard: Heard): WholeReply {
  const { knobs, sound } = request;
  const text = knobs.noText ? {} : { text: heard.text };
  switch (request.format) {
    case "text":
      return textReply(`${heard.text}\n`);
    case "srt":
      return textReply(heard.segments.map((segment) => `${segment.id + 1}\n${times(segment, ",")}\n${segment.text.trim()}\n\n`).join(""));
    case "vtt":
      return textReply(`WEBVTT\n\n${heard.segments.map((segment) => `${times(segment, ".")}\n${segment.text.trim()}\n\n`).join("")}`);
    case "json":
      return jsonReply(200, JSON.stringify({ ...text, usage: { type: "duration", seconds: Math.ceil(sound.seconds) } }));
    case "verbose_json": {
      const told = { task: "transcribe", ...tellLanguage(request), duration: sound.seconds, ...text };
      return jsonReply(200, JSON.stringify({ ...told, ...tellTimes(request, heard.segments) }));
    }
  }
}

function tellLanguage({ knobs, language }: TranscriptionRequest): Fields {
  const code = language ?? "en";
  return knobs.noLanguage ? {} : { language: knobs.languageCode ? code : nameLanguage(code) };
}

function tellTimes({ knobs, withSegments, withWords }: TranscriptionRequest, segments: Segment[]): Fields {
  const shown = knobs.bareSegments
    ? segments.map(({ start, end, text }) => ({ start, end, text }))
    : knobs.untimedSegments
      ? segments.map(({ id, text }) => ({ id, text }))
      : knobs.emptySegments
        ? []
        : segments;
  return {
    ...(withWords ? { words: segments.flatMap(timeWords) } : {}),
    ...(withSegments && !knobs.noSegments ? { segments: shown } : {}),
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
