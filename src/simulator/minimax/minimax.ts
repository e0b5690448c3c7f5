// The protocol of MiniMax (docs/behaviour/providers.md#minimax): its paths, speech and music. Each simulator has its
// own state: uploaded samples and the voices made of them.
import { LRUCache } from "lru-cache";
import type { Directives } from "../directive-list.ts";
import { readSteering } from "../directives.ts";
import type { Ask, LiveOperation, Plan, SimulatorProtocol, StreamReply } from "../protocol.ts";
import { type Fields, isFields } from "../request-fields.ts";
import { cutIntoPieces, makeSound, secondsOfSong, secondsOfSpeech, type Sound, type SoundFormat } from "../sound/make-sound.ts";
import {
  codes,
  planJson,
  readBodyFields,
  readText,
  refuseParameter,
  refuseWith,
  renderRefusal,
  rewordRefusal,
  succeeded,
  traceOf,
} from "./errors.ts";
import { keepVoices, planClone, planDesign, planUpload, planVoiceList, type Voices, type VoiceSamples } from "./voices.ts";

const samplesMax = 5000;

export function openMinimax(): SimulatorProtocol {
  const voices = keepVoices();
  const samples: VoiceSamples = new LRUCache({ max: samplesMax });
  const operations: Record<string, LiveOperation> = {
    "/v1/t2a_v2": (ask) => planSpeech(voices, ask),
    "/v1/get_voice": (ask) => planVoiceList(voices, ask),
    "/v1/files/upload": (ask) => planUpload(samples, ask),
    "/v1/voice_clone": (ask) => planClone(voices, samples, ask),
    "/v1/voice_design": (ask) => planDesign(voices, ask),
    "/v1/music_generation": planMusic,
  };
  return {
    name: "minimax",
    prefixes: ["/minimax"],
    findOperation: () => null,
    findLive: (method, path) => (method === "POST" && Object.hasOwn(operations, path) ? operations[path]! : null),
    rewordRefusal,
    renderRefusal,
    errorEndsStream: true,
  };
}

// POST /v1/t2a_v2: a text as audio in hex, whole or as records of which the last repeats all of it.

const charactersMax = 9999;

async function planSpeech(voices: Voices, { body, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "t2a_v2", readText(fields, "model", 200));
  const { directives, model, name } = steered;
  const text = readText(fields, "text", charactersMax);
  const format = readAudioSetting(fields);
  const { voice, speed } = readVoiceSetting(fields);
  const isStream = fields["stream"] === true;
  if (isStream && format.encoding === "wav") refuseParameter("wav is not available in streams");
  if (!voices.has(voice)) refuseWith(codes.voice, "invalid samples or voice_id");
  voices.use(voice);
  const seed = `${name}:${voice}:${text}`;
  const sound = await makeSound(format, directives.seconds ?? secondsOfSpeech(text) / speed, seed);
  const extra = directives.noExtraInfo ? {} : { extra_info: describeSpeech(sound, format, text) };
  const metadata = { ...extra, ...traceOf(seed) };
  if (isStream) return { model, directives, reply: streamSound(sound, fields, directives, metadata), bytes: 0 };
  return planJson(steered, { data: { audio: directives.noAudio ? "" : sound.bytes.toString("hex"), status: 2, ced: "" }, ...metadata });
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

/** Hex in an odd number of digits where a directive asks for it: a byte begins in one record and ends in the next. */
function streamSound({ bytes }: Sound, fields: Fields, directives: Directives, metadata: Fields): StreamReply {
  const options = isFields(fields["stream_options"]) ? fields["stream_options"] : {};
  const isLeftOut = directives.noAudio || directives.noAggregate || (options["exclude_aggregated_audio"] === true && !directives.aggregate);
  const record = (audio: string, status: number, more: Fields) =>
    JSON.stringify({ data: { audio, status, ced: "" }, ...more, ...succeeded });
  function* records(): Iterable<string> {
    if (directives.noAudio) return;
    const { trace_id } = metadata;
    if (directives.oddHex) for (const hex of cutUnevenly(bytes.toString("hex"))) yield record(hex, 1, { trace_id });
    else for (const piece of cutIntoPieces(bytes)) yield record(piece.toString("hex"), 1, { trace_id });
  }
  return {
    kind: "stream",
    records,
    get terminator() {
      return record(isLeftOut ? "" : bytes.toString("hex"), 2, metadata);
    },
  };
}

function* cutUnevenly(hex: string): Iterable<string> {
  const digits = Math.max(1, Math.floor(hex.length / 16)) | 1;
  for (let at = 0; at < hex.length; at += digits) yield hex.slice(at, at + digits);
}

// What MiniMax makes of a request's `audio_setting`, and what it reports about the audio it made.

const rates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100];
const bitrates = [32_000, 64_000, 128_000, 256_000];
const encodings = ["mp3", "pcm", "wav"] as const;

function readAudioSetting(fields: Fields): SoundFormat {
  const { audio_setting: setting = {}, output_format: shape = "hex" } = fields;
  if (!isFields(setting)) refuseParameter("audio_setting is no object");
  if (shape !== "hex") refuseParameter("the simulator answers with output_format hex only");
  const { sample_rate: sampleRate = 32_000, bitrate = 128_000, format = "mp3", channel = 1 } = setting;
  if (!rates.includes(sampleRate as number)) refuseParameter(`sample_rate must be one of ${rates.join(", ")}`);
  if (!bitrates.includes(bitrate as number)) refuseParameter(`bitrate must be one of ${bitrates.join(", ")}`);
  const encoding = encodings.find((one) => one === format);
  if (encoding === undefined) refuseParameter(`the simulator makes ${encodings.join(", ")}`);
  if (channel !== 1) refuseParameter("the simulator makes one channel");
  return { encoding, sampleRate: sampleRate as number, kbps: (bitrate as number) / 1000 };
}

/** `extra_info` of speech. */
function describeSpeech({ bytes, seconds, kbps }: Sound, { encoding, sampleRate }: SoundFormat, text: string): Fields {
  return {
    audio_length: Math.round(seconds * 1000),
    audio_sample_rate: sampleRate,
    audio_size: bytes.length,
    bitrate: kbps * 1000,
    audio_format: encoding,
    audio_channel: 1,
    word_count: text.trim().split(/\s+/).length,
    invisible_character_ratio: 0,
    // A rule of its own: what isn't ASCII counts twice.
    usage_characters: [...text].reduce((sum, character) => sum + (character > "\x7f" ? 2 : 1), 0),
  };
}

/** `extra_info` of music. */
function describeMusic({ bytes, seconds, kbps }: Sound, { sampleRate }: SoundFormat): Fields {
  return {
    music_duration: Math.round(seconds * 1000),
    music_sample_rate: sampleRate,
    music_channel: 1,
    bitrate: kbps * 1000,
    music_size: bytes.length,
  };
}

// POST /v1/music_generation: a song of a prompt and its lyrics, in hex.

const promptMax = 2000;
const lyricsMax = 3500;

async function planMusic({ body, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "music_generation", readText(fields, "model", 200));
  const has = (field: string) => (fields[field] ?? "") !== "";
  if (!has("prompt") && !has("lyrics")) refuseParameter("prompt or lyrics is required");
  const prompt = has("prompt") ? readText(fields, "prompt", promptMax) : "";
  const lyrics = has("lyrics") ? readText(fields, "lyrics", lyricsMax) : "";
  if (fields["stream"] === true) refuseParameter("the simulator doesn't stream music");
  const format = readAudioSetting(fields);
  const seed = `${steered.name}:${prompt}:${lyrics}`;
  const sound = await makeSound(format, steered.directives.seconds ?? secondsOfSong(prompt, lyrics), seed);
  const data = { audio: steered.directives.noAudio ? "" : sound.bytes.toString("hex"), status: 2 };
  return planJson(steered, { data, ...traceOf(seed), extra_info: describeMusic(sound, format) });
}
