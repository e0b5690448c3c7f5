// The story of POST /v1/audio/speech: the text, the model, the voice, the price of the characters, then the routes.
import type { components } from "../../generated/api.d.ts";
import type { Ask } from "../admission/ask.ts";
import type { Model } from "../catalog/types.ts";
import type { Caller, Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { ApiError, fail, failParameter } from "../errors/fail.ts";
import { audioPricesOf } from "../pricing/audio-cost.ts";
import type { SpeechOrder } from "../providers/audio.ts";
import { audioFormats } from "../sound/formats.ts";
import { admitMaker } from "./admit.ts";
import { askRoutes, routesOf } from "./ask-routes.ts";
import { audioReply } from "./audio-reply.ts";
import { openAudioCall, whileOpen } from "./open-call.ts";
import { type AskedVoice, readSpeechRequest } from "./speech-request.ts";
import { idAtProvider, ownerOf } from "./voice-owner.ts";

/** Whose voice it is comes before the free-tier gate, beside everything else that is wrong with a request (WIRE.md 14.1). */
export async function say(context: Context, ask: Ask, body: components["schemas"]["SpeechRequest"]) {
  const { text, voice, format, settings, stream } = readSpeechRequest(body);
  const asked = admitMaker(context.catalog, "speech", body.model);
  const { model } = asked;
  const isFamilyB = model.voiceFamily === "provider_b";
  const chosen = await chooseVoice(context.db, ask.caller, model, voice);
  const progressive = stream && isFamilyB;
  const order: SpeechOrder = { text: text.text, voice: chosen.providersId, format, settings: isFamilyB ? {} : settings, progressive };
  const charge = { prices: audioPricesOf(model), units: text.characters };
  const call = await openAudioCall(context, ask, { asked, slot: "speech", stream: progressive }, () => charge);
  return await whileOpen(context, ask, call, async () => {
    const candidates = routesOf(context, call, chosen.provider);
    const made = await askRoutes(context, ask, call, { candidates, adapters: context.providers.say, order, take: (audio) => audio }).catch(
      (error: unknown) => failedWithVoice(error, model, chosen, voice),
    );
    const headers = { "content-type": audioFormats[format].contentType, "x-svc-chars-billed": String(text.characters) };
    return await audioReply(context, ask, call, made, { charge, headers, brokenCode: "tts_failed" });
  });
}

// Which voice speaks, and which routes may be tried for it: a voice that an account cloned or designed is its own, and lives at one
// provider; whatever is not on file is a voice of the provider's (gateway-api.md "Ownership").

interface ChosenVoice {
  /** As the caller calls it. */
  id: string;
  /** As providers call it. */
  providersId: string;
  /** Routes of this provider alone; null: of any. */
  provider: string | null;
}

/** Fails with voice_not_owned or invalid_parameter. */
async function chooseVoice(db: Queries, caller: Caller, model: Model, { id: asked, param, openai }: AskedVoice): Promise<ChosenVoice> {
  // A model without a default may be OpenAI's own, whose clients mean the voice that they name.
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

/** What adapters call it. */
const voiceFields: ReadonlySet<string> = new Set(["voice_id", "voice"]);

/** Rethrows what the routes failed with; that they don't know the voice, in words that tell a caller which there are. */
function failedWithVoice(error: unknown, model: Model, voice: ChosenVoice, { param }: AskedVoice): never {
  if (!(error instanceof ApiError) || error.code !== "request_rejected" || !voiceFields.has(error.details.param ?? "")) throw error;
  const family = model.voiceFamily === null ? "" : `?provider=${model.voiceFamily}`;
  const reason = `${model.id} can't speak with the voice ${voice.id}; GET /v1/audio/voices${family} lists those that it can`;
  return fail("invalid_request", { param, text: { reason }, cause: error });
}
