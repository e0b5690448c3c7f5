// Lists the voices of ElevenLabs page by page (docs/behaviour/providers.md#elevenlabs), without those made in the operator's own account.
import { type Clock, systemClock } from "../../clock.ts";
import { arrayOf, type Json, objectOf, textOf } from "../json/read.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { bareRequest, readAnswer, unreadable } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import type { ListVoices, ProviderVoice } from "../verbs/audio.ts";
import { listBytesMax, openVoiceList } from "../voice-list.ts";
import { elevenlabsError } from "./errors.ts";

const pageSize = 100;
/** Three times the library's size; stops a host whose pages never end. */
const pagesMax = 100;
/** The page token becomes part of the next URL. */
const tokenLengthMax = 2_000;

export function elevenlabsVoices(upstream: Upstream, clock: Clock = systemClock): ListVoices {
  return async (call) => {
    const voices = openVoiceList(call.route.provider);
    let bytesLeft = listBytesMax;
    const seen = new Set<string>();
    let token: string | null = null;
    for (let page = 0; page < pagesMax; page += 1) {
      const next: string = token === null ? "" : `&next_page_token=${encodeURIComponent(token)}`;
      const request = bareRequest(call, "GET", `/v2/voices?page_size=${pageSize}${next}`);
      const answer = await exchange(upstream, request, clock, elevenlabsError({}));
      const text = await wholeText(answer, bytesLeft);
      bytesLeft -= text.length;
      const body = readAnswer(text, call.route.provider);
      if (!Array.isArray(body["voices"])) throw unreadable("the answer has no voices");
      for (const voice of body["voices"].map(objectOf).flatMap(voiceOf)) voices.add(voice);
      token = textOf(body["next_page_token"]);
      if (token === null || token.length > tokenLengthMax || body["has_more"] === false || seen.has(token) || voices.isFull()) break;
      seen.add(token);
    }
    return voices.all();
  };
}

function voiceOf(voice: Json): ProviderVoice[] {
  const voiceId = textOf(voice["voice_id"]);
  if (voiceId === null || isOperators(voice)) return [];
  return [
    {
      voiceId,
      name: textOf(voice["name"]) ?? voiceId,
      labels: labelsOf(voice["labels"]),
      previewUrl: textOf(voice["preview_url"]),
      description: textOf(voice["description"]),
      tags: arrayOf(voice["tags"]).filter((tag): tag is string => textOf(tag) !== null),
    },
  ];
}

/** A professional clone may belong to any account; `is_owner` says whether it is the operator's. */
function isOperators({ category, is_owner }: Json): boolean {
  return category === "cloned" || category === "generated" || (category === "professional" && is_owner === true);
}

function labelsOf(labels: unknown): Record<string, string> {
  const texts = Object.entries(objectOf(labels)).filter((entry): entry is [string, string] => textOf(entry[1]) !== null);
  return Object.fromEntries(texts);
}
