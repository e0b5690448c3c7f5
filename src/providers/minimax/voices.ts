// Voices over the `minimax` protocol: the list, a clone from a voice sample, a design from a description
// (docs/behaviour/providers.md#minimax).
import { type Clock, systemClock } from "../../clock.ts";
import { isVoiceId } from "../../text/counted-text.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, type Json, objectOf, parseLong, textOf } from "../json/read.ts";
import { filesBytesMax, takeFilesOut } from "../transport/base64-files.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { jsonRequest, parseObject, unreadable } from "../transport/json.ts";
import { fileForm } from "../transport/multipart.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type { CloneVoice, DesignVoice, ListVoices, ProviderVoice } from "../verbs/audio.ts";
import { listBytesMax, openVoiceList } from "../voice-list.ts";
import { assertNoError, duplicateVoice, errorCodeOf, minimaxError } from "./errors.ts";

/** Of every answer but the voice list: a few words and a spoken sample. */
const answerBytesMax = 16_777_216;
/** The voice is made before the first byte comes. */
const firstByteMs = 120_000;
/** Spoken by a designed voice where the caller gave no text; the vendor requires one. */
const sampleSentence = "Good morning. The train to the coast leaves in ten minutes, and there is still time for a cup of coffee.";

export function minimaxVoices(upstream: Upstream, clock: Clock = systemClock): ListVoices {
  return async (call) => {
    const request = jsonRequest(call, "/v1/get_voice", JSON.stringify({ voice_type: "system" }));
    const answer = await ask(upstream, clock, call, request, listBytesMax);
    if (!Array.isArray(answer["system_voice"])) throw unreadable("the answer has no voices");
    const voices = openVoiceList(call.route.provider);
    for (const voice of answer["system_voice"].map(objectOf).flatMap(voiceOf)) voices.add(voice);
    return voices.all();
  };
}

export function minimaxClone(upstream: Upstream, clock: Clock = systemClock): CloneVoice {
  return async (call) => {
    const { file, voiceId } = call.order;
    const { provider } = call.route;
    const form = fileForm([{ name: "purpose", text: "voice_clone" }], "file", file);
    const upload = { ...jsonRequest(call, "/v1/files/upload", ""), ...form, firstByteMs };
    const uploaded = objectOf((await ask(upstream, clock, call, upload))["file"]);
    const fileId = uploaded["file_id"] ?? null; // a 64-bit number or text
    if (fileId === null) throw unreadable("the answer names no file");
    const body = JSON.stringify({ file_id: fileId, voice_id: voiceId });
    const request = { ...jsonRequest(call, "/v1/voice_clone", body), firstByteMs };
    const answer = await answerOf(upstream, clock, request, answerBytesMax);
    // We chose the id, so an earlier attempt whose answer was lost has made this voice.
    if (errorCodeOf(answer) === duplicateVoice) return;
    assertNoError(answer, provider);
    if (answer["input_sensitive"] === true) throw new UpstreamError("refused", "the voice sample was refused", { status: 200 });
  };
}

export function minimaxDesign(upstream: Upstream, clock: Clock = systemClock): DesignVoice {
  return async (call) => {
    const { description, previewText, voiceId } = call.order;
    const body = JSON.stringify({ prompt: description, preview_text: previewText ?? sampleSentence, voice_id: voiceId });
    const request = { ...jsonRequest(call, "/v1/voice_design", body), firstByteMs };
    const answer = await exchange(upstream, request, clock, minimaxError);
    const { text } = takeFilesOut(await answer.body.bytes(filesBytesMax)); // the preview audio is not used
    const designed = parseObject(withoutKeys(text, call.route.provider));
    assertNoError(designed, call.route.provider);
    const given = textOf(designed["voice_id"]);
    if (given === null || !isVoiceId(given)) throw unreadable("the answer names no voice");
    return { voiceId: given };
  };
}

async function ask(
  upstream: Upstream,
  clock: Clock,
  { route }: UpstreamCall,
  request: UpstreamRequest,
  bytesMax = answerBytesMax,
): Promise<Json> {
  const answer = await answerOf(upstream, clock, request, bytesMax);
  assertNoError(answer, route.provider);
  return answer;
}

async function answerOf(upstream: Upstream, clock: Clock, request: UpstreamRequest, bytesMax: number): Promise<Json> {
  const answer = await exchange(upstream, request, clock, minimaxError);
  return parseObject(withoutKeys(await wholeText(answer, bytesMax), request.provider), parseLong);
}

function voiceOf(voice: Json): ProviderVoice[] {
  const voiceId = textOf(voice["voice_id"]);
  if (voiceId === null) return [];
  const tags = arrayOf(voice["description"]).filter((tag): tag is string => textOf(tag) !== null);
  return [{ voiceId, name: textOf(voice["voice_name"]) ?? voiceId, labels: {}, previewUrl: null, description: null, tags }];
}
