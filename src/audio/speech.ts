// The steps of POST /v1/audio/speech: the text, the model, the voice, the price of the characters, then the routes.
import type { components } from "../../generated/api.d.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Ask } from "../calls/ask.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { ApiError, fail, failParameter } from "../errors/fail.ts";
import { audioPricesOf } from "../pricing/audio-cost.ts";
import type { SpeechOrder, VoiceSettings } from "../providers/verbs/audio.ts";
import { type AudioFormat, audioFormats, formatOf } from "../sound/formats.ts";
import { type CountedText, countShown, countText, isBlank, isVoiceId } from "../text/counted-text.ts";
import { askRoutes, routesOf } from "./ask-routes.ts";
import { openAudioCall, whileOpen } from "./audio-call.ts";
import { audioReply } from "./audio-reply.ts";
import { makerModel } from "./find-model.ts";
import { idAtProvider, ownerOf } from "./voice-owner.ts";

/** The voice's owner is checked before the free-tier gate, with everything else that is wrong with a request (docs/behaviour/requests.md#order). */
export async function makeSpeech(context: Context, ask: Ask, body: components["schemas"]["SpeechRequest"]) {
  const { text, voice, format, settings, stream } = readSpeechRequest(body);
  const asked = makerModel(context.catalog, "speech", body.model);
  const { model } = asked;
  const isFamilyB = model.voiceFamily === "provider_b";
  const chosen = await chooseVoice(context.db, ask.caller, model, voice);
  const progressive = stream && isFamilyB;
  const order: SpeechOrder = { text: text.text, voice: chosen.providersId, format, settings: isFamilyB ? {} : settings, progressive };
  const charge = { prices: audioPricesOf(model), units: text.characters };
  const candidates = routesOf(context, ask, asked, chosen.provider);
  const call = await openAudioCall(context, ask, { asked, slot: "speech", stream: progressive, routes: () => candidates }, () => charge);
  return await whileOpen(context, call, async () => {
    const made = await askRoutes(context, ask, call, {
      candidates,
      adapters: context.providers.speech,
      order,
      take: (audio) => audio,
    }).catch((error: unknown) => failedWithVoice(error, model, chosen, voice));
    const headers = { "content-type": audioFormats[format].contentType, "x-svc-chars-billed": String(text.characters) };
    return await audioReply(context, ask, call, made, { charge, headers, interruptedCode: "tts_failed" });
  });
}

// Which voice speaks, and on which routes. A cloned or designed voice belongs to its account and lives at one provider; any id without an
// owner is taken for a voice of the provider's (docs/behaviour/audio.md#ownership).

interface ChosenVoice {
  /** The id in the request. */
  id: string;
  /** The id at the provider. */
  providersId: string;
  /** Only this provider's routes may be tried; null: any. */
  provider: string | null;
}

/** Fails with voice_not_owned or invalid_parameter. */
async function chooseVoice(db: Queries, caller: Caller, model: Model, { id: asked, param, openai }: AskedVoice): Promise<ChosenVoice> {
  // A model without a default voice may be OpenAI's own, whose clients mean the voice that they name.
  const byDefault = model.defaultVoice ?? openai;
  if (asked === null) return ofAny(byDefault ?? failParameter(param, `${model.id} has no voice of its own; name one`));
  if (asked === byDefault) return ofAny(asked);
  const owner = await ownerOf(db, asked);
  if (owner === null) return ofAny(asked);
  if (owner.accountId !== caller.accountId) fail("voice_not_owned", { param, text: { voice: asked } });
  if (model.voiceFamily === "provider_a" || !model.routes.some(({ provider }) => provider.id === owner.provider))
    failParameter(param, `${model.id} can't speak with a voice of yours; a family B model can`);
  return { id: asked, providersId: idAtProvider(asked), provider: owner.provider };
}

function ofAny(id: string): ChosenVoice {
  return { id, providersId: id, provider: null };
}

/** How adapters name the field of the voice. */
const voiceFields: ReadonlySet<string> = new Set(["voice_id", "voice"]);

/** Rethrows the routes' error; for an unknown voice, with a sentence that says where to find the known ones. */
function failedWithVoice(error: unknown, model: Model, voice: ChosenVoice, { param }: AskedVoice): never {
  if (!(error instanceof ApiError) || error.code !== "request_rejected" || !voiceFields.has(error.details.param ?? "")) throw error;
  const family = model.voiceFamily === null ? "" : `?provider=${model.voiceFamily}`;
  const reason = `${model.id} can't speak with the voice ${voice.id}; GET /v1/audio/voices${family} lists those that it can`;
  return fail("invalid_request", { param, text: { reason }, cause: error });
}

// Validates a speech request as far as that needs no model (docs/behaviour/audio.md#speech).

type Body = components["schemas"]["SpeechRequest"];

interface SpeechRequest {
  text: CountedText;
  voice: AskedVoice;
  format: AudioFormat;
  settings: VoiceSettings;
  stream: boolean;
}

/** A voice as a request names it. */
interface AskedVoice {
  /** Null: the model's default. */
  id: string | null;
  /** The field that names it. */
  param: string;
  /** The name of a voice of OpenAI's, which stands for the model's default where there is one. */
  openai: string | null;
}

const charactersMax = 5000;

/** Fails with missing_parameter, invalid_parameter or input_too_long. */
function readSpeechRequest(body: Body): SpeechRequest {
  return {
    text: readText(body),
    voice: readVoice(body),
    format: formatOf(body.response_format),
    settings: readSettings(body.voice_settings ?? {}),
    stream: body.stream ?? false,
  };
}

function readText({ input, text: alias }: Body): CountedText {
  const param = input == null && alias != null ? "text" : "input";
  const given = input ?? alias;
  if (given == null) fail("missing_parameter", { param, text: { param } });
  const text = countText(given, charactersMax);
  if (text.characters > charactersMax)
    fail("input_too_long", { param, text: { count: countShown(text, charactersMax), max: charactersMax } });
  if (isBlank(text.text)) failParameter(param, "it holds nothing to say");
  return text;
}

/** OpenAI's voices, which its clients always name; none of ours has such a name. */
const openaiVoices: ReadonlySet<string> = new Set("alloy ash ballad coral echo fable nova onyx sage shimmer verse marin cedar".split(" "));

function readVoice({ voice_id: id, voice: alias }: Body): AskedVoice {
  const named = typeof alias === "object" ? alias?.id : alias;
  const param = id != null ? "voice_id" : typeof alias === "object" ? "voice.id" : "voice";
  const voice = id ?? named;
  if (voice == null) return { id: null, param: "voice_id", openai: null };
  if (openaiVoices.has(voice)) return { id: null, param, openai: voice };
  if (!isVoiceId(voice)) failParameter(param, "it is not the id of a voice; GET /v1/audio/voices lists them");
  return { id: voice, param, openai: null };
}

/** Drops unknown fields, which would otherwise reach a provider that may know them. */
function readSettings({ stability, similarity_boost, style, use_speaker_boost }: NonNullable<Body["voice_settings"]>): VoiceSettings {
  return {
    ...(stability != null && { stability }),
    ...(similarity_boost != null && { similarity_boost }),
    ...(style != null && { style }),
    ...(use_speaker_boost != null && { use_speaker_boost }),
  };
}
