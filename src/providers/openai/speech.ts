// Speech over the `openai` protocol: asks for PCM, whose sample rate is the same at every host, and converts it to the wanted format.
import { type Clock, systemClock } from "../../clock.ts";
import { openConversion } from "../../sound/convert.ts";
import { assertAudio, speechFirstByteMs, streamAudio } from "../transport/audio-stream.ts";
import { exchange } from "../transport/exchange.ts";
import { unreadable } from "../transport/json-answer.ts";
import { jsonRequest } from "../transport/json-request.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type { AudioBody, MakeSpeech, SpeechOrder } from "../verbs/audio.ts";

/** Sample rate of `pcm`, in Hz. */
const pcmRate = 24_000;

export function openaiSpeech(upstream: Upstream, clock: Clock = systemClock): MakeSpeech {
  return async (call) => {
    const answer = await exchange(upstream, speechRequest(call), clock);
    await assertAudio(answer, call.route.provider);
    return streamAudio(barePcm(answer.body), await openConversion(pcmRate, call.order.format), call.signal);
  };
}

function speechRequest(call: UpstreamCall & { order: SpeechOrder }): UpstreamRequest {
  const { text, voice } = call.order;
  const body = JSON.stringify({ model: call.route.model, input: text, voice, response_format: "pcm" });
  return { ...jsonRequest(call, "/audio/speech", body), accept: "*/*", firstByteMs: speechFirstByteMs(text) };
}

/** Some hosts know one format only and send it whatever was asked for: read as samples it would be noise. */
function barePcm(body: AudioBody): AudioBody {
  let first = true;
  return {
    cancel: body.cancel,
    read: (onChunk) =>
      body.read((chunk) => {
        if (first && /^(?:ID3|RIFF|OggS|fLaC)/.test(chunk.toString("latin1", 0, 4)))
          throw unreadable("the audio is not in the requested format");
        first = false;
        return onChunk(chunk);
      }),
  };
}
