// The steps of a transcription or translation: resolve, gate, count, measure, hold, transcribe, charge (docs/behaviour/audio.md#transcriptions). A recording
// at an address is held for at the least price before it is loaded, and at its own once it is measured. A stream is charged at its end.
import { setTimeout as sleep } from "node:timers/promises";
import type { Ask } from "../calls/ask.ts";
import { atLesserPrice } from "../calls/call.ts";
import { mayUse } from "../calls/refusals.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { type AudioCharge, audioCost, audioPricesOf, billableMinutes } from "../pricing/audio-cost.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Transcript, TranscriptionOrder, TranscriptStream } from "../providers/verbs/audio.ts";
import type { UpstreamCall } from "../providers/types.ts";
import { attempt, type Served } from "../routing/attempt.ts";
import { adapterOf, type Candidate, candidatesOf } from "../routing/candidates.ts";
import { callAudio } from "./ask-routes.ts";
import { type AudioBill, type AudioCall, openAudioCall, whileOpen } from "./audio-call.ts";
import { chargeMade } from "./audio-reply.ts";
import { transcriberModel } from "./find-model.ts";
import { fetchRecording, readRecording, type Recording } from "./recording.ts";
import { needsTimes, type TranscriptionRequest } from "./transcription-request.ts";

export interface Transcribed {
  asked: Resolved;
  request: TranscriptionRequest;
  transcript: Transcript;
  served: Candidate;
  seconds: number;
  bill: AudioBill;
}

/** A transcript that has begun: its words are here, or the first of them. It is not charged yet. */
export interface Heard extends Omit<Transcribed, "bill" | "transcript"> {
  call: AudioCall;
  transcript: Transcript | TranscriptStream;
  charge: AudioCharge;
}

export function transcribe(context: Context, ask: Ask, request: TranscriptionRequest): Promise<Transcribed> {
  return hear(context, ask, request, async ({ call, charge, transcript, ...heard }) => {
    const bill = await chargeMade(ask.signal, call, charge);
    return { ...heard, transcript: transcript as Transcript, bill };
  });
}

/** `answer` charges the call, or sees to it. */
export async function hear<Answer>(
  context: Context,
  ask: Ask,
  request: TranscriptionRequest,
  answer: (heard: Heard) => Promise<Answer> | Answer,
): Promise<Answer> {
  const asked = transcriberModel(context.catalog, request);
  const { model } = asked;
  if (needsTimes(request.format) && !model.media.supportsTimestamps)
    fail("segments_unsupported", { param: "response_format", text: { model: model.id } });
  const routes = () =>
    chainOf(context.catalog, model, (other) => mayUse(ask.caller, other) && mayServe(other, request), ask.requestId).candidates;
  const plan = { asked, slot: "transcription", stream: request.stream, routes } as const;
  const { source } = request;
  const { media } = context;
  if (source.kind === "file") {
    let recording: Recording | undefined;
    const call = await openAudioCall(context, ask, plan, async () => {
      recording = await readRecording(media, source, "file", ask.signal);
      return chargeOf(model, recording.seconds);
    });
    return whileOpen(context, call, async () => answer(await serve(context, ask, call, request, recording!)));
  }
  const call = await openAudioCall(context, ask, { ...plan, unmeasured: true }, () => chargeOf(model, 0));
  return whileOpen(context, call, () =>
    media.withTempFile(async (path) => {
      const recording = await fetchRecording(media, { url: source.url, path }, ask.signal);
      await call.raise(chargeOf(model, recording.seconds));
      return await answer(await serve(context, ask, call, request, recording));
    }),
  );
}

async function serve(
  context: Context,
  ask: Ask,
  call: AudioCall,
  request: TranscriptionRequest,
  { file, seconds }: Recording,
): Promise<Heard> {
  const { task, language, prompt, temperature, speakers } = request;
  const { result: transcript, candidate } = await transcribeOverChain(context, ask, call, request, {
    ...{ task, file, seconds, language, prompt, temperature, speakers },
  });
  // Another model would hear nothing either.
  if (isSilent(transcript)) {
    if (isStream(transcript)) transcript.cancel();
    fail("no_speech_detected");
  }
  call.answeredBy(candidate);
  const { charge } = atLesserPrice(call.admitted.model, candidate.model, (model) => {
    const charge = chargeOf(model, seconds);
    return { charge, cost: audioCost(charge) };
  });
  return { call, asked: call.admitted, request, transcript, served: candidate, seconds, charge };
}

function chargeOf(model: Model, seconds: number): AudioCharge {
  return { prices: audioPricesOf(model), units: billableMinutes(model, seconds) };
}

// Which routes transcribe, in which order: the model, the same route once more, other models with timestamps, at last those of plain text.

const retryPauseMs = 300;
/** Where the upstream names no time: as long as for an unavailable provider. */
const usualWaitMs = 5_000;

/** Fails with rate_limit_exceeded, request_rejected, or as src/routing/attempt.ts does once all have failed. */
export function transcribeOverChain(
  context: Pick<Context, "catalog" | "breakers" | "providers">,
  ask: Ask,
  call: Pick<AudioCall, "ask" | "admitted" | "attempts" | "connection" | "stream">,
  request: TranscriptionRequest,
  order: Omit<TranscriptionOrder, "timestamps">,
): Promise<Served<Transcript | TranscriptStream>> {
  const { signal } = ask;
  const { model } = call.admitted;
  const { candidates, again } = chainOf(
    context.catalog,
    model,
    (other) => mayUse(ask.caller, other) && mayServe(other, request),
    ask.requestId,
  );
  const transcribe = async (candidate: Candidate, heard: UpstreamCall["heard"]): Promise<Transcript | TranscriptStream> => {
    const { supportsTimestamps, supportsStreaming } = candidate.model.media;
    const streams = request.stream && supportsStreaming;
    const timestamps = supportsTimestamps && !streams;
    const { providers } = context;
    const ask = streams ? adapterOf(providers.streamTranscript, candidate) : adapterOf(providers.transcribe, candidate);
    const work = (upstream: UpstreamCall) => ask({ ...upstream, order: { ...order, timestamps } });
    const transcript = await callAudio(call, candidate, heard, work, streams).catch(asRejection);
    if (isStream(transcript)) return transcript;
    if (needsTimes(request.format) && !isSilent(transcript) && !hasTimes(transcript))
      throw new UpstreamError("unreadable", "a transcript without its segments", { status: 200 });
    return transcript;
  };
  return attempt(candidates, context.breakers, signal, call.attempts, transcribe, {
    async pause(candidate) {
      // Rethrows the signal's own reason: the client disconnected, or the gateway stops.
      if (candidate === again) await sleep(retryPauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    },
    stopAt: forwardRate,
  });
}

/** The first route twice, the model's others, then other models: those with timestamps before those without. */
export function chainOf(catalog: Catalog, model: Model, mayStandIn: (other: Model) => boolean, requestId: string) {
  const all = candidatesOf(catalog, model, mayStandIn, () => requestId);
  const [first, ...others] = all.filter((candidate) => candidate.model === model);
  const again: Candidate = { ...first!, layer: 1, choice: undefined };
  const standIns = all
    .filter((candidate) => candidate.model !== model)
    .map((candidate): Candidate => ({ ...candidate, layer: candidate.model.media.supportsTimestamps ? 2 : 3 }));
  const candidates: Candidate[] = [
    first!,
    again,
    ...others.map((candidate): Candidate => ({ ...candidate, layer: 1 })),
    ...standIns.filter(({ layer }) => layer === 2),
    ...standIns.filter(({ layer }) => layer === 3),
  ];
  return { candidates, again };
}

/** Models without timestamps serve text and json only, and can't serve files at an address. Only models that tell speakers apart do so for others. */
function mayServe({ type, media }: Model, { task, format, source, speakers }: TranscriptionRequest): boolean {
  if (speakers !== null) return type === "transcription" && media.supportsDiarization;
  if (task === "translate" && !media.supportsTranslation) return false;
  return type === "transcription" && (media.supportsTimestamps || (!needsTimes(format) && source.kind === "file"));
}

const requestStatuses: readonly (number | null)[] = [400, 413, 415, 422];

/** Errors of the request end the chain; so does refused content, after which other operations try the next route. */
function asRejection(error: unknown): never {
  if (!(error instanceof UpstreamError)) throw error;
  const { fault, status, reason, param } = error;
  throw fault === "refused" && requestStatuses.includes(status)
    ? new UpstreamError("rejected", reason, { status, param, cause: error })
    : error;
}

/** A model's rate limit ends the chain too: the caller is told when to retry. */
function forwardRate(error: UpstreamError): void {
  if (error.fault !== "rate_limited") return;
  fail("rate_limit_exceeded", {
    message: "The model takes no more requests at the moment. Wait for Retry-After.",
    retryAfterMs: error.retryAfterMs ?? usualWaitMs,
    cause: error,
  });
}

// Whether a transcript has words, and whether it has times.

/** The bounds by which Whisper itself takes a segment for silence (no_speech_threshold, logprob_threshold). */
const noSpeechProbMin = 0.6;
const logProbMax = -1;

export function isSilent(transcript: Transcript | TranscriptStream): boolean {
  if (isStream(transcript)) return transcript.tally.finished && transcript.tally.characters === 0;
  const { text, segments } = transcript;
  if (text.trim() === "") return true;
  if (segments === null || segments.length === 0) return false;
  return segments.every(({ no_speech_prob, avg_logprob }) => no_speech_prob > noSpeechProbMin && avg_logprob < logProbMax);
}

export function isStream(transcript: Transcript | TranscriptStream): transcript is TranscriptStream {
  return "forEach" in transcript;
}

/** Whether a subtitle file would have at least one cue. */
export function hasTimes({ segments }: Transcript): boolean {
  return segments !== null && segments.some(({ text }) => text.trim() !== "");
}
