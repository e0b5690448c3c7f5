// The story of a transcription: resolve, gate, count, measure, hold, transcribe, charge (gateway-api.md, transcriptions; OPERATOR.md, order
// of refusals). A recording at an address is held for at its least price before it is loaded, and at its own once it is measured.
import type { Ask } from "../admission/ask.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { type AudioCharge, audioCost, audioPricesOf, billableMinutes } from "../pricing/audio-cost.ts";
import type { Transcript } from "../providers/audio.ts";
import type { Candidate } from "../routing/candidates.ts";
import { admitTranscriber } from "./admit.ts";
import { isSilent } from "./judge-transcript.ts";
import { type AudioBill, type AudioCall, openAudioCall, whileOpen } from "./open-call.ts";
import { fetchRecording, readRecording, type Recording } from "./recording.ts";
import { transcribeOverChain } from "./transcription-chain.ts";
import { needsTimes, type TranscriptionRequest } from "./transcription-request.ts";

export interface Transcribed {
  asked: Resolved;
  request: TranscriptionRequest;
  transcript: Transcript;
  served: Candidate;
  seconds: number;
  bill: AudioBill;
}

export async function transcribe(context: Context, ask: Ask, request: TranscriptionRequest): Promise<Transcribed> {
  const asked = admitTranscriber(context.catalog, request.model);
  const { model } = asked;
  if (needsTimes(request.format) && !model.media.supportsTimestamps)
    fail("segments_unsupported", { param: "response_format", text: { model: model.id } });
  const plan = { asked, slot: "transcription", stream: false } as const;
  const { source } = request;
  const { media } = context;
  if (source.kind === "file") {
    let recording: Recording | undefined;
    const call = await openAudioCall(context, ask, plan, async () => {
      recording = await readRecording(media, source, "file", ask.signal);
      return chargeOf(model, recording.seconds);
    });
    return whileOpen(context, ask, call, () => serve(context, ask, call, request, recording!));
  }
  const call = await openAudioCall(context, ask, plan, () => chargeOf(model, 0));
  return whileOpen(context, ask, call, () =>
    media.withTempFile(async (path) => {
      const recording = await fetchRecording(media, { url: source.url, path }, ask.signal);
      await call.raise(chargeOf(model, recording.seconds));
      return await serve(context, ask, call, request, recording);
    }),
  );
}

async function serve(
  context: Context,
  ask: Ask,
  call: AudioCall,
  request: TranscriptionRequest,
  { file, seconds }: Recording,
): Promise<Transcribed> {
  const { language, prompt, temperature } = request;
  const { result: transcript, candidate } = await transcribeOverChain(context, ask, call, request, {
    ...{ file, seconds, language, prompt, temperature },
  });
  // Another model would hear nothing either.
  if (isSilent(transcript)) fail("no_speech_detected");
  // Who has left by now has got nothing and pays nothing.
  ask.signal.throwIfAborted();
  call.answeredBy(candidate);
  const bill = await call.complete(cheaperOf(call.plan.asked.model, candidate.model, seconds));
  return { asked: call.plan.asked, request, transcript, served: candidate, seconds, bill };
}

function chargeOf(model: Model, seconds: number): AudioCharge {
  return { prices: audioPricesOf(model), units: billableMinutes(model, seconds) };
}

/** OPERATOR.md: another model's answer costs its own price, never more than the requested model would have cost. */
function cheaperOf(asked: Model, served: Model, seconds: number): AudioCharge {
  const own = chargeOf(asked, seconds);
  const other = chargeOf(served, seconds);
  return audioCost(other) < audioCost(own) ? other : own;
}
