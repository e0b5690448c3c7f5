// Speech over the `minimax` protocol: whole in one JSON answer, or as a stream that pieces.ts reads (docs/behaviour/providers.md#minimax).
import { type Clock, systemClock } from "../../clock.ts";
import { convertWhole, openConversion } from "../../sound/convert.ts";
import { objectOf, textOf } from "../json/read.ts";
import { speechFirstByteMs, streamAudio, wholeAudio } from "../transport/audio-stream.ts";
import { filesBytesMax, takeFilesOut } from "../transport/base64-files.ts";
import { exchange, isJson } from "../transport/exchange.ts";
import { parseObject, unreadable } from "../transport/json-answer.ts";
import { jsonRequest } from "../transport/json-request.ts";
import type { Upstream, UpstreamAnswer, UpstreamRequest } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type { MadeAudio, MakeSpeech, SpeechOrder } from "../verbs/audio.ts";
import { type AskedAudio, askedSpeech } from "./audio-setting.ts";
import { assertNoError, minimaxError } from "./errors.ts";
import { hexPieces } from "./pieces.ts";

type SpeechCall = UpstreamCall & { order: SpeechOrder };

export function minimaxSpeech(upstream: Upstream, clock: Clock = systemClock): MakeSpeech {
  return async (call) => {
    const asked = askedSpeech(call.order.format);
    const answer = await exchange(upstream, speechRequest(call, asked), clock, minimaxError);
    if (!call.order.progressive || isJson(answer)) return wholeSpeech(answer, call, asked); // an error of a streamed call comes as JSON too
    const conversion = asked.convertFrom === null ? null : await openConversion(asked.convertFrom, call.order.format);
    return streamAudio(hexPieces(answer.body, call.route.provider), conversion, call.signal);
  };
}

function speechRequest(call: SpeechCall, { setting }: AskedAudio): UpstreamRequest {
  const { text, voice, progressive } = call.order;
  const body = {
    model: call.route.model,
    text,
    stream: progressive,
    ...(progressive ? { stream_options: { exclude_aggregated_audio: true } } : { output_format: "hex" }),
    voice_setting: { voice_id: voice },
    audio_setting: setting,
  };
  return { ...jsonRequest(call, "/v1/t2a_v2", JSON.stringify(body), progressive), firstByteMs: speechFirstByteMs(text) };
}

async function wholeSpeech(answer: UpstreamAnswer, call: SpeechCall, { convertFrom }: AskedAudio): Promise<MadeAudio> {
  const { format } = call.order;
  const inside = takeFilesOut(await answer.body.bytes(filesBytesMax));
  const parsed = parseObject(inside.text);
  assertNoError(parsed, call.route.provider);
  const hex = textOf(objectOf(parsed["data"])["audio"]);
  const bytes = hex === null ? null : inside.hexOf(hex);
  if (bytes === null || bytes.length === 0) throw unreadable("the answer holds no audio");
  return wholeAudio(convertFrom === null ? bytes : await convertWhole(bytes, convertFrom, format, call.signal));
}
