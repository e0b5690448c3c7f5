// What a request for speech asks for, as far as no model is needed to judge it (gateway-api.md "POST /v1/audio/speech").
import type { components } from "../../generated/api.d.ts";
import { type CountedText, countShown, countText, isBlank } from "../text/counted-text.ts";
import { fail, failParameter } from "../errors/fail.ts";
import type { VoiceSettings } from "../providers/audio.ts";
import { type AudioFormat, formatOf } from "../sound/formats.ts";
import { isVoiceId } from "../text/voice-id.ts";

type Body = components["schemas"]["SpeechRequest"];

export interface SpeechRequest {
  text: CountedText;
  voice: AskedVoice;
  format: AudioFormat;
  settings: VoiceSettings;
  stream: boolean;
}

/** A voice as a request names it. */
export interface AskedVoice {
  /** Null: the model's default. */
  id: string | null;
  /** The field that it stood in. */
  param: string;
  /** A voice of OpenAI's was named, which is taken for the model's default where it has one. */
  openai: string | null;
}

const charactersMax = 5000;

/** Fails with missing_parameter, invalid_parameter or input_too_long. */
export function readSpeechRequest(body: Body): SpeechRequest {
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

/** The voices of OpenAI, which its clients always name (WIRE.md 4.5): none of ours is called so. */
const openaiVoices: ReadonlySet<string> = new Set("alloy ash ballad coral echo fable nova onyx sage shimmer verse marin cedar".split(" "));

function readVoice({ voice_id: id, voice: alias }: Body): AskedVoice {
  const named = typeof alias === "object" ? alias?.id : alias;
  const param = id != null ? "voice_id" : typeof alias === "object" ? "voice.id" : "voice";
  const voice = id ?? named;
  if (voice == null) return { id: null, param: "voice_id", openai: null };
  if (openaiVoices.has(voice)) return { id: null, param, openai: voice };
  if (!isVoiceId(voice)) failParameter(param, "it is no id of a voice; GET /v1/audio/voices lists them");
  return { id: voice, param, openai: null };
}

/** Fields that it does not know stay here: the provider may know them. */
function readSettings({ stability, similarity_boost, style, use_speaker_boost }: NonNullable<Body["voice_settings"]>): VoiceSettings {
  return {
    ...(stability != null && { stability }),
    ...(similarity_boost != null && { similarity_boost }),
    ...(style != null && { style }),
    ...(use_speaker_boost != null && { use_speaker_boost }),
  };
}
