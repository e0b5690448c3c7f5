// Transcriptions, translations and speech over the `openai` protocol. Transcriptions: a form around a recording that stays on disk, and the transcript
// that comes back whole; transcript-stream.ts reads a streamed one.
import { type Clock, systemClock } from "../../clock.ts";
import { openConversion } from "../../sound/convert.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { assertAudio, speechFirstByteMs, streamAudio } from "../transport/audio-stream.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, unreadable } from "../transport/json.ts";
import { fileForm, type TextPart } from "../transport/multipart.ts";
import type { Upstream, UpstreamAnswer, UpstreamRequest } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type {
  AudioBody,
  MakeSpeech,
  Segment,
  SpeakerSegment,
  SpeechOrder,
  Transcribe,
  TranscribeCall,
  Transcript,
  TranscriptionOrder,
} from "../verbs/audio.ts";

/** Fits a day of speech with every segment's tokens. Shorter recordings have a lower bound: words with times take a kilobyte a second. */
const answerBytesMax = 67_108_864;
const leastAnswerBytesMax = 1_048_576;
const bytesPerSecond = 4_096;

/** Hosts transcribe four to hundreds of times as fast as speech; a call waits a quarter of an hour at most. */
const msPerSecond = 250;
export const firstByteMsMax = 900_000;

export function openaiTranscribe(upstream: Upstream, clock: Clock = systemClock): Transcribe {
  return async (call) => {
    try {
      return await wholeTranscript(await exchange(upstream, transcriptionRequest(call, false), clock), call);
    } catch (error) {
      throw error instanceof UpstreamError ? faultOfForm(error) : error;
    }
  };
}

export async function wholeTranscript(answer: UpstreamAnswer, { order, route }: TranscribeCall): Promise<Transcript> {
  return readTranscript(readAnswer(await wholeText(answer, transcriptBytesMax(order.seconds)), route.provider), order);
}

/** Of an answer about a recording of this length. */
export function transcriptBytesMax(seconds: number): number {
  return Math.min(leastAnswerBytesMax + Math.ceil(seconds) * bytesPerSecond, answerBytesMax);
}

const paths = { transcribe: "/audio/transcriptions", translate: "/audio/translations" };

export function transcriptionRequest(call: TranscribeCall, stream: boolean): UpstreamRequest {
  const { task, file, seconds } = call.order;
  const firstByteMs = Math.min(Math.ceil(seconds * msPerSecond), firstByteMsMax);
  return { ...jsonRequest(call, paths[task], "", stream), ...fileForm(fieldsOf(call, stream), "file", file), firstByteMs };
}

function fieldsOf({ order, route }: TranscribeCall, stream: boolean): TextPart[] {
  const { task, language, prompt, temperature, timestamps, speakers = null } = order;
  const fields: [string, string | null][] = [
    ["model", route.model],
    ["language", language],
    ["prompt", prompt],
    ["temperature", String(temperature)],
    ["response_format", speakers !== null ? "diarized_json" : timestamps ? "verbose_json" : "json"],
    ["timestamp_granularities[]", timestamps && speakers === null && task === "transcribe" ? "segment" : null],
    ["stream", stream ? "true" : null],
    ["chunking_strategy", speakers === null ? null : "auto"], // longer recordings need one
    ...(speakers ?? []).flatMap(({ name, reference }): [string, string][] => [
      ["known_speaker_names[]", name],
      ["known_speaker_references[]", reference],
    ]),
  ];
  return fields.flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
}

/** Decides whether a refused form is the caller's fault or ours. */
export function faultOfForm(error: UpstreamError): UpstreamError {
  if (error.status === 415) return new UpstreamError("rejected", error.reason, error); // about the recording's type, not about how we call
  return isAboutOurFields(error) ? new UpstreamError("our_fault", error.reason, error) : error;
}

/** A response format or a stream that the model lacks is the catalog's mistake: the caller of such a model didn't ask for it. */
function isAboutOurFields({ fault, param, reason }: UpstreamError): boolean {
  if (fault !== "rejected") return false;
  return /^(?:response_format|timestamp_granularities|stream)\b/.test(param ?? "") || /\bresponse_format\b/.test(reason);
}

// The transcript of any host of the OpenAI family; missing fields are filled (docs/behaviour/providers.md#whole-answers).

/** A segment is a sentence or half of one; its JSON in our answer can be ten times as long as in the host's. */
const segmentsPerSecond = 5;
const leastSegmentsMax = 1_000;

/**
 * Throws UpstreamError `unreadable` where there is no text, far too many segments, or a speaker is missing. `seconds` is the recording's length:
 * times are clamped to it.
 */
function readTranscript(answer: Json, { seconds, speakers: asked = null }: TranscriptionOrder): Transcript {
  const list = Array.isArray(answer["segments"]) ? (answer["segments"] as unknown[]) : null;
  if ((list?.length ?? 0) > leastSegmentsMax + seconds * segmentsPerSecond) throw unreadable("the answer has too many segments");
  const segments = list === null || asked !== null ? null : readSegments(list, seconds);
  const text = typeof answer["text"] === "string" ? answer["text"] : segments?.map((segment) => segment.text).join("");
  if (text === undefined) throw unreadable("the answer has no text");
  const speakers = asked === null ? null : (list ?? []).map((entry, index) => readSpeaker(entry, index, seconds));
  if (speakers?.length === 0 && text.trim() !== "") throw unreadable("the answer says of no speaker what it has heard");
  const heard = { language: textOf(answer["language"]), text, segments };
  return speakers === null ? heard : { ...heard, speakers: speakers.sort((one, other) => one.start - other.start) };
}

/** Throws UpstreamError where a field is missing that callers are promised. */
export function readSpeaker(entry: unknown, index: number, seconds: number): SpeakerSegment {
  const { id, start, end, text, speaker } = objectOf(entry);
  if (typeof text !== "string" || typeof speaker !== "string" || typeof start !== "number" || typeof end !== "number")
    throw unreadable("a segment of the transcript has no speaker, text or time");
  const from = clamp(start, 0, seconds);
  const name = typeof id === "string" ? id : `seg_${index}`;
  return { type: "transcript.text.segment", id: name, start: from, end: clamp(end, from, seconds), text, speaker };
}

/** Sorted by time and numbered anew. Null where one is malformed or has no time: the others would be a transcript with holes. */
function readSegments(list: unknown[], seconds: number): Segment[] | null {
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

// Speech: asks for PCM, whose sample rate is the same at every host, and converts it to the wanted format.

/** Sample rate of `pcm`, in Hz. */
const pcmRate = 24_000;

export function openaiSpeech(upstream: Upstream, clock: Clock = systemClock): MakeSpeech {
  return async (call) => {
    const answer = await exchange(upstream, speechRequest(call), clock);
    await assertAudio(answer, call.route.provider);
    return streamAudio(barePcm(answer.body), await openConversion(pcmRate, call.order.format), call.signal);
  };
}

function speechRequest(call: UpstreamCall & { order: SpeechOrder }): UpstreamRequest {
  const { text, voice } = call.order;
  const body = JSON.stringify({ model: call.route.model, input: text, voice, response_format: "pcm" });
  return { ...jsonRequest(call, "/audio/speech", body), accept: "*/*", firstByteMs: speechFirstByteMs(text) };
}

/** Some hosts know one format only and send it whatever was asked for: read as samples it would be noise. */
function barePcm(body: AudioBody): AudioBody {
  let first = true;
  return {
    cancel: body.cancel,
    read: (onChunk) =>
      body.read((chunk) => {
        if (first && /^(?:ID3|RIFF|OggS|fLaC)/.test(chunk.toString("latin1", 0, 4)))
          throw unreadable("the audio is not in the requested format");
        first = false;
        return onChunk(chunk);
      }),
  };
}
