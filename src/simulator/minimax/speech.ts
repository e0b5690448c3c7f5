// POST /v1/t2a_v2: a text as audio in hex, whole or as records of which the last repeats all of it.
import { readSteering } from "../header-knobs.ts";
import type { Knobs } from "../knob-list.ts";
import type { Ask, Plan, StreamReply } from "../protocol.ts";
import { type Fields, isFields } from "../request-fields.ts";
import { makeSound, secondsOfSpeech, type Sound } from "../sound/make-sound.ts";
import { cutIntoPieces } from "../sound/pieces.ts";
import { describeSpeech, readAudioSetting } from "./audio-setting.ts";
import { codes, planJson, readBodyFields, readText, refuseParameter, refuseWith, succeeded, traceOf } from "./errors.ts";
import type { Voices } from "./voices.ts";

const charactersMax = 9999;

export async function planSpeech(voices: Voices, { body, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "t2a_v2", readText(fields, "model", 200));
  const { knobs, model, name } = steered;
  const text = readText(fields, "text", charactersMax);
  const format = readAudioSetting(fields);
  const { voice, speed } = readVoiceSetting(fields);
  const isStream = fields["stream"] === true;
  if (isStream && format.encoding === "wav") refuseParameter("wav is not available in streams");
  if (!voices.has(voice)) refuseWith(codes.voice, "invalid samples or voice_id");
  voices.use(voice);
  const seed = `${name}:${voice}:${text}`;
  const sound = await makeSound(format, knobs.seconds ?? secondsOfSpeech(text) / speed, seed);
  const extra = knobs.noExtraInfo ? {} : { extra_info: describeSpeech(sound, format, text) };
  const told = { ...extra, ...traceOf(seed) };
  if (isStream) return { model, knobs, reply: streamSound(sound, fields, knobs, told), bytes: 0 };
  return planJson(steered, { data: { audio: knobs.noAudio ? "" : sound.bytes.toString("hex"), status: 2, ced: "" }, ...told });
}

function readVoiceSetting({ voice_setting: setting }: Fields): { voice: string; speed: number } {
  if (!isFields(setting)) refuseParameter("voice_setting is required");
  const { speed = 1, vol = 1, pitch = 0 } = setting;
  if (!isBetween(speed, 0.5, 2)) refuseParameter("speed is from 0.5 to 2");
  if (!isBetween(vol, 0.01, 10)) refuseParameter("vol is above 0 and up to 10");
  if (!isBetween(pitch, -12, 12)) refuseParameter("pitch is from -12 to 12");
  return { voice: readText(setting, "voice_id", 256), speed };
}

function isBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && value >= min && value <= max;
}

/** Hex in an odd number of digits where a knob asks for it: a byte begins in one record and ends in the next. */
function streamSound({ bytes }: Sound, fields: Fields, knobs: Knobs, told: Fields): StreamReply {
  const options = isFields(fields["stream_options"]) ? fields["stream_options"] : {};
  const isLeftOut = knobs.noAudio || knobs.noAggregate || (options["exclude_aggregated_audio"] === true && !knobs.aggregate);
  const record = (audio: string, status: number, more: Fields) =>
    JSON.stringify({ data: { audio, status, ced: "" }, ...more, ...succeeded });
  function* records(): Iterable<string> {
    if (knobs.noAudio) return;
    const { trace_id } = told;
    if (knobs.oddHex) for (const hex of cutUnevenly(bytes.toString("hex"))) yield record(hex, 1, { trace_id });
    else for (const piece of cutIntoPieces(bytes)) yield record(piece.toString("hex"), 1, { trace_id });
  }
  return {
    kind: "stream",
    records,
    get terminator() {
      return record(isLeftOut ? "" : bytes.toString("hex"), 2, told);
    },
  };
}

function* cutUnevenly(hex: string): Iterable<string> {
  const digits = Math.max(1, Math.floor(hex.length / 16)) | 1;
  for (let at = 0; at < hex.length; at += digits) yield hex.slice(at, at + digits);
}
