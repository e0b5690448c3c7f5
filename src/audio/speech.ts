// The story of POST /v1/audio/speech: the text, the model, the voice, the price of the characters, then the routes.
import type { components } from "../../generated/api.d.ts";
import type { Ask } from "../admission/ask.ts";
import type { Context } from "../context.ts";
import { audioPricesOf } from "../pricing/audio-cost.ts";
import type { SpeechOrder } from "../providers/audio.ts";
import { audioFormats } from "../sound/formats.ts";
import { admitMaker } from "./admit.ts";
import { askRoutes, routesOf } from "./ask-routes.ts";
import { audioReply } from "./audio-reply.ts";
import { chooseVoice, failedWithVoice } from "./choose-voice.ts";
import { openAudioCall, whileOpen } from "./open-call.ts";
import { readSpeechRequest } from "./speech-request.ts";

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
