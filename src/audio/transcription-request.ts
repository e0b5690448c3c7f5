// Reads a request for a transcript from any of its bodies: a form with the file, JSON with its address, the form of a translation.
import type { components } from "../../generated/api.d.ts";
import { failParameter } from "../errors/fail.ts";
import type { KnownSpeaker, TranscriptionOrder } from "../providers/verbs/audio.ts";

type TranscriptionFormat = components["schemas"]["TranscriptionAnswerFormat"];

export interface TranscriptionRequest {
  task: TranscriptionOrder["task"];
  source: { kind: "file"; path: string; bytes: number } | { kind: "address"; url: string };
  /** Id or alias; null: the default. */
  model: string | null;
  /** ISO 639-1, lower case; null: to be detected. */
  language: string | null;
  format: TranscriptionFormat;
  temperature: number;
  /** Null: none. */
  prompt: string | null;
  /** Where the format says who speaks: those who are known; else null. */
  speakers: readonly KnownSpeaker[] | null;
  /** As events, while it is transcribed. */
  stream: boolean;
}

/** Fields of both bodies, as sent; null counts as absent. */
interface Fields {
  model?: string | null;
  language?: string | null;
  response_format?: TranscriptionFormat | null;
  temperature?: number | null;
  prompt?: string | null;
  stream?: boolean | null;
  known_speaker_names?: string[] | null;
  known_speaker_references?: string[] | null;
  "known_speaker_names[]"?: string[];
  "known_speaker_references[]"?: string[];
}

/** Fails with invalid_parameter. */
export function transcriptionRequest(fields: Fields, source: TranscriptionRequest["source"]): TranscriptionRequest {
  const stream = fields.stream ?? false;
  const format = fields.response_format ?? (stream ? "json" : "verbose_json");
  if (stream && format !== "json" && format !== "diarized_json")
    failParameter("response_format", "a streamed transcription has the format json or diarized_json; send it without stream");
  return {
    task: "transcribe",
    source,
    model: fields.model ?? null,
    language: fields.language?.toLowerCase() ?? null,
    format,
    temperature: fields.temperature ?? 0,
    prompt: fields.prompt || null,
    speakers: speakersOf(fields, format),
    stream,
  };
}

const speakersMax = 4;

/** A form's fields have brackets. */
function speakersOf(fields: Fields, format: TranscriptionFormat): readonly KnownSpeaker[] | null {
  const inForm = fields["known_speaker_names[]"] ?? fields["known_speaker_references[]"];
  const suffix = inForm === undefined ? "" : "[]";
  const param = `known_speaker_names${suffix}`;
  const names = fields["known_speaker_names[]"] ?? fields.known_speaker_names ?? [];
  const references = fields["known_speaker_references[]"] ?? fields.known_speaker_references ?? [];
  if (format !== "diarized_json") {
    if (names.length + references.length > 0) failParameter(param, "speakers are named in the response_format diarized_json only");
    return null;
  }
  if (names.length > speakersMax) failParameter(param, `it may name at most ${speakersMax} speakers`);
  if (names.length !== references.length)
    failParameter(`known_speaker_references${suffix}`, "there must be one recording for each of known_speaker_names");
  return names.map((name, index) => ({ name, reference: references[index]! }));
}

/** The text is English, whatever is spoken. The default format is OpenAI's. */
export function translationRequest(
  fields: Pick<Fields, "response_format" | "temperature" | "prompt"> & { model: string },
  source: TranscriptionRequest["source"],
): TranscriptionRequest {
  return { ...transcriptionRequest({ ...fields, response_format: fields.response_format ?? "json" }, source), task: "translate" };
}

/** Whether only a model with timestamps can write the format. */
export function needsTimes(format: TranscriptionFormat): boolean {
  return format === "verbose_json" || format === "srt" || format === "vtt";
}
