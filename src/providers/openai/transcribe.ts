// Transcriptions over the `openai` protocol: a form around a recording that stays on disk (WIRE.md 10.5). What an answer says is transcript.ts's.
import { systemClock, type Clock } from "../../clock.ts";
import type { Transcribe, TranscribeCall } from "../audio.ts";
import { readAnswer } from "../transport/json-answer.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import type { Upstream, UpstreamRequest } from "../transport/http.ts";
import { jsonRequest } from "../transport/json-request.ts";
import { fileForm, type TextPart } from "../transport/multipart.ts";
import { UpstreamError } from "../types.ts";
import { readTranscript } from "./transcript.ts";

/** Of a day of speech, with every segment's tokens. Of less by its length: words with their times are a kilobyte a second. */
const answerBytesMax = 67_108_864;
const leastAnswerBytesMax = 1_048_576;
const bytesPerSecond = 4_096;

/** Hosts write four to hundreds of times as fast as people speak; nobody waits longer than a quarter of an hour. */
const msPerSecond = 250;
const firstByteMsMax = 900_000;

export function openaiTranscribe(upstream: Upstream, clock: Clock = systemClock): Transcribe {
  return async (call) => {
    try {
      const answer = await exchange(upstream, transcriptionRequest(call), clock);
      const { seconds } = call.order;
      const bytesMax = Math.min(leastAnswerBytesMax + Math.ceil(seconds) * bytesPerSecond, answerBytesMax);
      const body = readAnswer(await wholeText(answer, bytesMax), call.route.provider);
      return readTranscript(body, seconds);
    } catch (error) {
      throw error instanceof UpstreamError ? faultOfForm(error) : error;
    }
  };
}

function transcriptionRequest(call: TranscribeCall): UpstreamRequest {
  const { file, seconds } = call.order;
  const firstByteMs = Math.min(Math.ceil(seconds * msPerSecond), firstByteMsMax);
  return { ...jsonRequest(call, "/audio/transcriptions", ""), ...fileForm(fieldsOf(call), "file", file), firstByteMs };
}

function fieldsOf({ order, route }: TranscribeCall): TextPart[] {
  const { language, prompt, temperature, timestamps } = order;
  const fields: [string, string | null][] = [
    ["model", route.model],
    ["language", language],
    ["prompt", prompt],
    ["temperature", String(temperature)],
    ["response_format", timestamps ? "verbose_json" : "json"],
    ["timestamp_granularities[]", timestamps ? "segment" : null],
  ];
  return fields.flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
}

/** Whose doing it is that a form was refused. */
function faultOfForm(error: UpstreamError): UpstreamError {
  if (error.status === 415) return new UpstreamError("rejected", error.reason, error); // the recording's kind, not how we call
  return isAboutOurFields(error) ? new UpstreamError("our_fault", error.reason, error) : error;
}

/** A form of answer that the model lacks is the catalog's mistake: the caller asked for nothing of the kind. */
function isAboutOurFields({ fault, param, reason }: UpstreamError): boolean {
  if (fault !== "rejected") return false;
  return /^(?:response_format|timestamp_granularities)\b/.test(param ?? "") || /\bresponse_format\b/.test(reason);
}
