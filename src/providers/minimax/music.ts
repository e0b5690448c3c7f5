// Music over the `minimax` protocol: one JSON answer with the song in hexadecimal or its URL (docs/behaviour/providers.md#minimax).
import { type Clock, systemClock } from "../../clock.ts";
import { convertWhole } from "../../sound/convert.ts";
import { mixedDown, readWav } from "../../sound/wav.ts";
import { type Json, objectOf, textOf } from "../json/read.ts";
import { wholeAudio } from "../transport/audio-stream.ts";
import { filesBytesMax, takeFilesOut } from "../transport/base64-files.ts";
import { exchange } from "../transport/exchange.ts";
import { parseObject, unreadable } from "../transport/json-answer.ts";
import { jsonRequest } from "../transport/json-request.ts";
import type { Upstream } from "../transport/types.ts";
import type { FetchMade, MakeMusic } from "../verbs/audio.ts";
import { askedMusic } from "./audio-setting.ts";
import { assertNoError, minimaxError } from "./errors.ts";

/** A song takes some minutes, and then all of it comes at once. */
const firstByteMs = 600_000;

export function minimaxMusic(upstream: Upstream, fetchMade: FetchMade, clock: Clock = systemClock): MakeMusic {
  return async (call) => {
    const { prompt, lyrics, format } = call.order;
    const { provider, model } = call.route;
    const { setting, convertFrom } = askedMusic(format);
    const body = { model, prompt, ...(lyrics !== null && { lyrics }), stream: false, output_format: "hex", audio_setting: setting };
    const request = { ...jsonRequest(call, "/v1/music_generation", JSON.stringify(body)), firstByteMs };
    const answer = await exchange(upstream, request, clock, minimaxError);
    const inside = takeFilesOut(await answer.body.bytes(filesBytesMax));
    const parsed = parseObject(inside.text);
    assertNoError(parsed, provider);
    const audio = textOf(objectOf(parsed["data"])["audio"]);
    const isAddress = audio !== null && /^https?:\/\//i.test(audio);
    const bytes = isAddress ? await fetchMade(audio, provider, call.signal) : audio && inside.hexOf(audio);
    if (!bytes || bytes.length === 0) throw unreadable("the answer holds no audio");
    if (convertFrom === null) return { kind: "whole", bytes };
    const { pcm, sampleRate } = readWav(bytes) ?? { pcm: mixedDown(bytes, channelsOf(parsed)), sampleRate: convertFrom };
    return wholeAudio(await convertWhole(pcm, sampleRate, format, call.signal));
  };
}

function channelsOf(parsed: Json): number {
  const { music_channel, audio_channel } = objectOf(parsed["extra_info"]);
  return (music_channel ?? audio_channel) === 2 ? 2 : 1;
}
