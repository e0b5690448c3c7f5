// Chat over Gemini's generateContent: the request translated, the answer read as a chat's. Where the models stand is the caller's to say,
// since Google serves them at more than one place.
import { LRUCache } from "lru-cache";
import { isObject, objectOf, parseLong } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { type ChatTimes, chatTimes, readChatAnswer } from "../openai/chat.ts";
import { exchange, nameAnswer } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, readRecordData } from "../transport/json.ts";
import type { SseRecord } from "../transport/read-stream.ts";
import type { Upstream } from "../transport/types.ts";
import type { Route } from "../types.ts";
import type { Chat, ChatCall } from "../verbs/chat.ts";
import { readGoogleError } from "./errors.ts";
import { geminiRequest } from "./request.ts";
import { completionOf, type KeepSignature, openChunkTranslation } from "./response.ts";

/** A place where Google serves the models. */
interface GeminiPlace {
  /** The path of a model below the provider's base URL, without the method. */
  pathOf(route: Route): string;
  /** The header that asks for a service tier; absent: the request's body does. */
  tierHeader?: string;
}

export const geminiPlace: GeminiPlace = { pathOf: ({ model }) => `/v1beta/models/${encodeURIComponent(model)}` };

export function geminiChat(upstream: Upstream, place: GeminiPlace = geminiPlace, change: Partial<ChatTimes> = {}): Chat {
  const times = chatTimes(change);
  const signatures = openSignatures();
  return async (call) => {
    const { route, outputMax, stream, body, heard } = call;
    const chat = objectOf(parseLong(wholeOf(body)));
    const content = geminiRequest(chat, { route, outputMax, signatureOf: signatures.of });
    const tier = isGoogleTier(chat["service_tier"]) ? chat["service_tier"] : null;
    const sent = tier === null || place.tierHeader !== undefined ? content : { ...content, serviceTier: tier };
    const path = place.pathOf(route) + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
    const headers = tier === null || place.tierHeader === undefined ? [] : [place.tierHeader, tier];
    const request = { ...jsonRequest(call, path, JSON.stringify(sent), stream), headers };
    const answer = await exchange(upstream, request, times.clock, readGoogleError);
    return await readChatAnswer(answer, call, times, {
      whole(text) {
        const given = readAnswer(text, route.provider, parseLong);
        nameAnswer(heard, given["responseId"]);
        return JSON.stringify(completionOf(given, signatures.keep));
      },
      records: chunkRecords(signatures.keep, heard),
    });
  };
}

/** Whether Google has such a service tier; others are left out. */
export function isGoogleTier(tier: unknown): tier is string {
  return tier === "flex" || tier === "priority";
}

/** Errors go through as they are. */
function chunkRecords(keep: KeepSignature, heard: ChatCall["heard"]): (record: SseRecord) => SseRecord[] {
  const chunksOf = openChunkTranslation(keep);
  return (record) => {
    if (record.data === "") return [];
    const value = readRecordData(record.data, record.event);
    if (!isObject(value) || "error" in value) return [record];
    nameAnswer(heard, value["responseId"]);
    return chunksOf(value).map((chunk) => ({ event: "", data: JSON.stringify(chunk) }));
  };
}

// Signatures of tool calls: newer models want each back with its call, and neither dialect has a place for them
// (docs/behaviour/providers.md#gemini). In memory and bounded; a call whose signature is gone goes out with Google's word for that.

interface Signatures {
  keep(callId: string, signature: string): void;
  of(callId: string): string | null;
}

/** Characters of all signatures together, and of one. */
const charactersMax = 33_554_432;
const signatureMax = 262_144;

function openSignatures(): Signatures {
  const kept = new LRUCache<string, string>({
    maxSize: charactersMax,
    maxEntrySize: signatureMax,
    sizeCalculation: ({ length }) => length + 100,
  });
  return {
    keep: (callId, signature) => void kept.set(callId, signature),
    of: (callId) => kept.get(callId) ?? null,
  };
}
