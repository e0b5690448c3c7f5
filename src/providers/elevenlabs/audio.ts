// Speech, music and sound effects over the `elevenlabs` protocol: JSON out, bytes back in the wanted format
// (docs/behaviour/providers.md#elevenlabs).
import { type Clock, systemClock } from "../../clock.ts";
import type { AudioFormat } from "../../sound/formats.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Json } from "../json/read.ts";
import { assertAudio, speechFirstByteMs, streamAudio } from "../transport/audio-stream.ts";
import { exchange } from "../transport/exchange.ts";
import { jsonRequest } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import type { MadeAudio, MakeMusic, MakeSound, MakeSpeech } from "../verbs/audio.ts";
import { elevenlabsError } from "./errors.ts";

interface Ask {
  path: string;
  format: AudioFormat;
  body: Json;
  firstByteMs?: number;
  /** Upstream's names of fields → ours; see elevenlabsError. */
  names: Readonly<Record<string, string>>;
}

/** Upper bound of the time to make one second of music. Where the model chooses the length, a song lasts at most five minutes. */
const musicMsPerSecond = 2_000;
const longestSongSeconds = 300;

export function elevenlabsSpeech(upstream: Upstream, clock: Clock = systemClock): MakeSpeech {
  return (call) => {
    const { text, voice, format, settings } = call.order;
    if (/^\.{0,2}$/.test(voice)) return Promise.reject(new UpstreamError("rejected", "no such voice", { param: "voice_id" })); // would call another path
    return makeAudio(upstream, clock, call, {
      path: `/v1/text-to-speech/${encodeURIComponent(voice)}`,
      format,
      body: { text, model_id: call.route.model, ...(Object.keys(settings).length > 0 && { voice_settings: settings }) },
      firstByteMs: speechFirstByteMs(text),
      names: { text: "input" },
    });
  };
}

export function elevenlabsMusic(upstream: Upstream, clock: Clock = systemClock): MakeMusic {
  return (call) => {
    const { prompt, lyrics, seconds, format } = call.order;
    return makeAudio(upstream, clock, call, {
      path: "/v1/music",
      format,
      body: {
        prompt: lyrics === null ? prompt : `${prompt}\n\n${lyrics}`, // the API has no field for lyrics
        model_id: call.route.model,
        ...(seconds !== null && { music_length_ms: Math.round(seconds * 1_000) }),
      },
      firstByteMs: (seconds ?? longestSongSeconds) * musicMsPerSecond,
      names: {},
    });
  };
}

export function elevenlabsSounds(upstream: Upstream, clock: Clock = systemClock): MakeSound {
  return (call) => {
    const { prompt, seconds, influence, format } = call.order;
    const length = seconds === null ? {} : { duration_seconds: seconds };
    return makeAudio(upstream, clock, call, {
      path: "/v1/sound-generation",
      format,
      body: { text: prompt, model_id: call.route.model, prompt_influence: influence, ...length },
      names: { text: "prompt" },
    });
  };
}

async function makeAudio(upstream: Upstream, clock: Clock, call: UpstreamCall, ask: Ask): Promise<MadeAudio> {
  const { path, format, body, firstByteMs = 0, names } = ask;
  const request = jsonRequest(call, `${path}?output_format=${format}`, JSON.stringify(body));
  const answer = await exchange(upstream, { ...request, accept: "*/*", firstByteMs }, clock, elevenlabsError(names));
  await assertAudio(answer, call.route.provider);
  return streamAudio(answer.body, null, call.signal);
}
