// The story of a voice that is cloned or designed: hold, make, file whose it is, charge (gateway-api.md, voice-clone and voice-design).
// In that order: a voice that can't be filed costs nothing, and one whose charge never came to the books is shown to nobody.
import { randomBytes } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import type { Ask } from "../admission/ask.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { persist } from "../ledger/persist.ts";
import { toUsd } from "../money.ts";
import { audioCost, audioPricesOf } from "../pricing/audio-cost.ts";
import type { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { UpstreamCall } from "../providers/types.ts";
import { attempt } from "../routing/attempt.ts";
import { adapterOf, type Candidate } from "../routing/candidates.ts";
import { admitMaker } from "./admit.ts";
import { routesOf } from "./ask-routes.ts";
import { type AudioBill, openAudioCall, whileOpen } from "./open-call.ts";
import type { VoiceDesign } from "./own-voice-fields.ts";
import { readRecording, type Recording } from "./recording.ts";
import { fileVoice, ownVoiceId, voicePrefix } from "./voice-owner.ts";

export interface MadeVoice {
  asked: Resolved;
  voiceId: string;
  name: string;
  bill: AudioBill;
}

interface Wish {
  /** Id or alias; none: the usual one. */
  model: string | null | undefined;
  /** Null: the voice's id. */
  name: string | null;
}

/**
 * Fails as openAudioCall does, or with model_not_found, not_a_voice_clone_model, invalid_parameter, invalid_request, provider_error or
 * ownership_write_failed.
 */
export async function cloneVoice(context: Context, ask: Ask, wish: Wish & { clip: { path: string; bytes: number } }): Promise<MadeVoice> {
  const asked = admitMaker(context.catalog, "voice-clone", wish.model);
  let recording: Recording | undefined;
  const measure = async () => void (recording = await readVideo(context.media, wish.clip, ask.signal));
  return makeVoice(context, ask, { asked, name: wish.name }, measure, async (candidate, voiceId, upstream) => {
    const order = { file: recording!.file, voiceId };
    await adapterOf(context.providers.cloneVoice, candidate)({ ...upstream, order });
    return voiceId;
  });
}

/** Fails as cloneVoice does, with not_a_voice_design_model in the place of its own. */
export async function designVoice(context: Context, ask: Ask, wish: Wish & { design: VoiceDesign }): Promise<MadeVoice> {
  const asked = admitMaker(context.catalog, "voice-design", wish.model);
  const nothing = () => Promise.resolve();
  return makeVoice(context, ask, { asked, name: wish.name }, nothing, async (candidate, voiceId, upstream) => {
    const order = { ...wish.design, voiceId };
    const made = await adapterOf(context.providers.designVoice, candidate)({ ...upstream, order });
    return ownVoiceId(made.voiceId);
  });
}

/** `before` is what the price waits for; `make` returns the id of the voice. */
async function makeVoice(
  context: Context,
  ask: Ask,
  { asked, name }: { asked: Resolved; name: string | null },
  before: () => Promise<void>,
  make: (candidate: Candidate, voiceId: string, upstream: UpstreamCall) => Promise<string>,
): Promise<MadeVoice> {
  const { model } = asked;
  const charge = { prices: audioPricesOf(model), units: 1 };
  const call = await openAudioCall(context, ask, { asked, slot: null, stream: false }, async () => {
    await before();
    return charge;
  });
  return whileOpen(context, ask, call, async () => {
    // Nobody who sees the ids of calls could guess it.
    const chosen = `${voicePrefix}${randomBytes(16).toString("hex")}`;
    const { signal, requestId } = ask;
    const candidates = routesOf(context, call);
    const { result: voiceId, candidate } = await attempt(
      candidates,
      context.breakers,
      signal,
      call.attempts,
      (candidate) =>
        make(candidate, chosen, { route: candidate.route, signal, requestId, publicModel: model.id, account: ask.caller.accountId }),
      { stopAt: endWhereUnsure },
    );
    call.answeredBy(candidate);
    const made = { voiceId, name: name ?? voiceId, provider: candidate.route.provider.id, model: model.id };
    // From here on a caller who leaves changes nothing: the voice is made, filed and paid for, and listed.
    await keepOwnership(context, ask, { ...made, callId: call.hold.id, cost: audioCost(charge) });
    return { asked, voiceId, name: made.name, bill: await call.complete(charge) };
  });
}

/** It may have made the voice before it failed: a second one is made by nobody. */
function endWhereUnsure(error: UpstreamError): void {
  if (error.fault === "unavailable" || error.fault === "unreadable") fail("provider_error", { cause: error });
}

/** The voice is made and the same is filed once, so a Postgres that fails over is waited for, whoever has left meanwhile. */
const filingPatienceMs = 8_000;

type Ownership = Omit<Parameters<typeof fileVoice>[1], "accountId" | "at">;
async function keepOwnership({ db, log }: Pick<Context, "db" | "log">, ask: Ask, voice: Ownership): Promise<void> {
  let cause: unknown;
  try {
    const owned = { ...voice, accountId: ask.caller.accountId, at: ask.receivedAt };
    if (await persist(filingPatienceMs, new AbortController().signal, () => fileVoice(db, owned))) return;
  } catch (error) {
    cause = error;
  }
  // For the operator: the provider keeps a voice that is nobody's.
  const { voiceId, provider } = voice;
  log.error({ err: cause, request_id: ask.requestId, voice: voiceId, provider }, "a voice was made and could not be filed");
  fail("ownership_write_failed", { cause });
}

// A voice that was made, as its caller gets it.

export function madeVoiceAnswer({ asked: { model, alias }, voiceId, name, bill }: MadeVoice) {
  const body: components["schemas"]["MadeVoice"] = {
    voice_id: voiceId,
    name,
    model: model.id,
    cost_usd: toUsd(bill.cost),
    balance_usd: toUsd(bill.balance),
  };
  const headers: Record<string, string> = alias === null ? {} : { "x-svc-alias": alias };
  return { status: 200 as const, headers, body };
}

// The recording that a voice is cloned from: its kind and its length (gateway-api.md, voice-clone). Every fault is the request's.

type Media = Context["media"];

const kindsTaken = ["mp3", "wav", "m4a"];
/** Seconds that a clip may last, and how much our measure may differ from the provider's: what is near an end, the provider judges. */
const [secondsMin, secondsMax, slack] = [10, 300, 0.5];

/** Fails with unsupported_audio_type. */
export async function assertClip(media: Pick<Media, "audioKindOf">, path: string): Promise<void> {
  const kind = await media.audioKindOf(path);
  if (kind === null || !kindsTaken.includes(kind.extension))
    fail("unsupported_audio_type", { param: "file", text: { allowed: kindsTaken.join(", ") } });
}

/** Fails with unsupported_audio_type, invalid_parameter or request_too_large. */
async function readVideo(
  media: Pick<Media, "audioKindOf" | "measureAudio">,
  sent: { path: string; bytes: number },
  signal: AbortSignal,
): Promise<Recording> {
  const recording = await readRecording(media, sent, "file", signal);
  const { seconds } = recording;
  if (seconds < secondsMin - slack || seconds > secondsMax + slack)
    failParameter(
      "file",
      `it lasts ${seconds.toFixed(1)} seconds; a voice is cloned from ${secondsMin} seconds to ${secondsMax / 60} minutes`,
    );
  return recording;
}
