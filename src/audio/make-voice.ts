// The steps of cloning or designing a voice: hold, make it, record its owner, charge (docs/behaviour/audio.md#new-voices). In that order: a
// voice whose owner can't be recorded costs nothing, and one whose charge was not committed is never listed.
import { randomBytes } from "node:crypto";
import type { components } from "../../generated/api.d.ts";
import type { Ask } from "../calls/ask.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { persist } from "../ledger/account-batcher.ts";
import { toUsd } from "../money.ts";
import { audioCost, audioPricesOf } from "../pricing/audio-cost.ts";
import type { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { UpstreamCall } from "../providers/types.ts";
import { attempt } from "../routing/attempt.ts";
import { adapterOf, type Candidate } from "../routing/candidates.ts";
import { countShown, countText } from "../text/counted-text.ts";
import { makerModel } from "./find-model.ts";
import { callAudio, routesOf } from "./ask-routes.ts";
import { type AudioBill, openAudioCall, whileOpen } from "./audio-call.ts";
import { readRecording, type Recording } from "./recording.ts";
import { fileVoice, ownVoiceId, voicePrefix } from "./voice-owner.ts";

interface MadeVoice {
  asked: Resolved;
  voiceId: string;
  name: string;
  bill: AudioBill;
}

interface Wish {
  /** Id or alias; without one the default. */
  model: string | null | undefined;
  /** Null: the voice's id serves as its name. */
  name: string | null;
}

/**
 * Fails as openAudioCall does, or with model_not_found, not_a_voice_clone_model, invalid_parameter, invalid_request, provider_error or
 * ownership_write_failed.
 */
export async function cloneVoice(context: Context, ask: Ask, wish: Wish & { sample: { path: string; bytes: number } }): Promise<MadeVoice> {
  const asked = makerModel(context.catalog, "voice-clone", wish.model);
  let recording: Recording | undefined;
  const measure = async () => void (recording = await readSample(context.media, wish.sample, ask.signal));
  return makeVoice(context, ask, { asked, name: wish.name }, measure, async (candidate, voiceId, upstream) => {
    const order = { file: recording!.file, voiceId };
    await adapterOf(context.providers.cloneVoice, candidate)({ ...upstream, order });
    return voiceId;
  });
}

/** Fails as cloneVoice does, with not_a_voice_design_model instead of not_a_voice_clone_model. */
export async function designVoice(context: Context, ask: Ask, wish: Wish & { design: VoiceDesign }): Promise<MadeVoice> {
  const asked = makerModel(context.catalog, "voice-design", wish.model);
  const nothing = () => Promise.resolve();
  return makeVoice(context, ask, { asked, name: wish.name }, nothing, async (candidate, voiceId, upstream) => {
    const order = { ...wish.design, voiceId };
    const made = await adapterOf(context.providers.designVoice, candidate)({ ...upstream, order });
    return ownVoiceId(made.voiceId);
  });
}

/** `before` runs ahead of the price; `make` returns the id of the voice. */
async function makeVoice(
  context: Context,
  ask: Ask,
  { asked, name }: { asked: Resolved; name: string | null },
  before: () => Promise<void>,
  make: (candidate: Candidate, voiceId: string, upstream: UpstreamCall) => Promise<string>,
): Promise<MadeVoice> {
  const { model } = asked;
  const charge = { prices: audioPricesOf(model), units: 1 };
  const candidates = routesOf(context, ask, asked);
  const call = await openAudioCall(context, ask, { asked, slot: null, stream: false, routes: () => candidates }, async () => {
    await before();
    return charge;
  });
  return whileOpen(context, call, async () => {
    // Random, so that ids of calls, which appear elsewhere, don't reveal it.
    const chosen = `${voicePrefix}${randomBytes(16).toString("hex")}`;
    const { result: voiceId, candidate } = await attempt(
      candidates,
      context.breakers,
      ask.signal,
      call.attempts,
      (candidate, heard) => callAudio(call, candidate, heard, (upstream) => make(candidate, chosen, upstream)),
      { stopAt: endWhereUnsure },
    );
    call.answeredBy(candidate);
    const made = { voiceId, name: name ?? voiceId, provider: candidate.route.provider.id, model: model.id };
    // From here on a disconnect changes nothing: the voice is made, recorded, paid for and listed.
    await keepOwnership(context, ask, { ...made, callId: call.hold.id, cost: audioCost(charge) });
    return { asked, voiceId, name: made.name, bill: await call.complete(charge) };
  });
}

/** The provider may have made the voice before it failed, so no other route makes a second one. */
function endWhereUnsure(error: UpstreamError): void {
  if (error.fault === "unavailable" || error.fault === "unreadable") fail("provider_error", { cause: error });
}

/** The voice exists and recording it is idempotent, so this outlasts a Postgres failover, even after the client disconnects. */
const filingTimeoutMs = 8_000;

type Ownership = Omit<Parameters<typeof fileVoice>[1], "accountId" | "at">;
async function keepOwnership({ db, log }: Pick<Context, "db" | "log">, ask: Ask, voice: Ownership): Promise<void> {
  let cause: unknown;
  try {
    const owned = { ...voice, accountId: ask.caller.accountId, at: ask.receivedAt };
    if (await persist(filingTimeoutMs, new AbortController().signal, () => fileVoice(db, owned))) return;
  } catch (error) {
    cause = error;
  }
  // For the operator: the provider keeps a voice without an owner.
  const { voiceId, provider } = voice;
  log.error({ err: cause, request_id: ask.requestId, voice: voiceId, provider }, "a voice was made, but its owner could not be recorded");
  fail("ownership_write_failed", { cause });
}

// A new voice as its caller sees it.

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

// Checks the voice sample: its kind and its length. Every error is the request's.

type Media = Context["media"];

const kindsTaken = ["mp3", "wav", "m4a"];
/** Allowed length in seconds, and by how much the provider's measure may differ from ours: near a bound, the provider decides. */
const [secondsMin, secondsMax, slack] = [10, 300, 0.5];

/** Fails with unsupported_audio_type. */
export async function assertSample(media: Pick<Media, "audioKindOf">, path: string): Promise<void> {
  const kind = await media.audioKindOf(path);
  if (kind === null || !kindsTaken.includes(kind.extension))
    fail("unsupported_audio_type", { param: "file", text: { allowed: kindsTaken.join(", ") } });
}

/** Fails with unsupported_audio_type, invalid_parameter or request_too_large. */
async function readSample(
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

// Validates the texts of a new voice: counted in characters after Unicode NFC normalisation, without anything that the database can't
// store.

const nameMax = 64;
const descriptionMax = 1000;
const previewMax = 500;

/** Null where no name was given; the voice's id then serves as its name. Fails with invalid_parameter. */
export function readVoiceName(name: string | null | undefined): string | null {
  const normal = readShort(name, nameMax, "name");
  if (normal !== null && /\p{Cc}/u.test(normal)) failParameter("name", "it holds control characters");
  return normal;
}

interface VoiceDesign {
  /** Includes gender and age where they were given. */
  description: string;
  /** Null: the provider's own. */
  previewText: string | null;
}

/** Fails with missing_parameter, description_too_long or invalid_parameter. */
export function readDesign(request: components["schemas"]["VoiceDesignRequest"]): VoiceDesign {
  const counted = countText((request.description ?? request.text ?? "").trim(), descriptionMax);
  const { text: description, characters } = counted;
  if (description === "") fail("missing_parameter", { param: "description", text: { param: "description" } });
  if (characters > descriptionMax)
    fail("description_too_long", { param: "description", text: { count: countShown(counted, descriptionMax), max: descriptionMax } });
  const previewText = readShort(request.preview_text, previewMax, "preview_text");
  const { gender, age_group: age } = request;
  const facets = [...(gender == null ? [] : [`Gender: ${gender}.`]), ...(age == null ? [] : [`Age: ${age}.`])];
  return {
    description: facets.length === 0 ? description : `${description}\n${facets.join(" ")}`,
    previewText,
  };
}

/** Null where it is absent or blank. Fails with invalid_parameter. */
function readShort(given: string | null | undefined, max: number, param: string): string | null {
  const counted = countText((given ?? "").trim(), max);
  if (counted.characters > max) failParameter(param, `it has ${countShown(counted, max)} characters, at most ${max} are taken`);
  return counted.text === "" ? null : counted.text;
}
