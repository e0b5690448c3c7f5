// The protocol of ElevenLabs (docs/behaviour/providers.md#elevenlabs): its paths and its audio. The simulator checks no keys.
import { readSteering, type Steered } from "../directives.ts";
import type { Ask, LiveOperation, Plan, SimulatorProtocol } from "../protocol.ts";
import { type Fields, isFields, type Refusal } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";
import { cutIntoPieces, makeSound, secondsOfSong, secondsOfSpeech, type SoundFormat } from "../sound/make-sound.ts";
import { readBodyFields, readNumber, readText, refuseField, refuseWith, renderRefusal, rewordForPrompts, rewordRefusal } from "./errors.ts";
import { findVoice, planVoices } from "./voices.ts";

export const elevenlabs: SimulatorProtocol = {
  name: "elevenlabs",
  prefixes: ["/elevenlabs"],
  findOperation: () => null,
  findLive,
  rewordRefusal,
  renderRefusal,
};

function findLive(method: string, path: string): LiveOperation | null {
  if (method === "GET") return path === "/v2/voices" ? planVoices : null;
  if (method !== "POST") return null;
  if (path === "/v1/music" || path === "/v1/music/stream") return planMusic;
  if (path === "/v1/sound-generation") return planSoundEffect;
  const speech = /^\/v1\/text-to-speech\/([^/]+)(\/stream)?$/.exec(path);
  return speech === null ? null : (ask) => planTextToSpeech(decodeVoice(speech[1]!), ask);
}

/** An id that isn't encoded properly belongs to no voice. */
function decodeVoice(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

// POST /v1/music and /v1/sound-generation: audio that follows from a prompt, of the length that was asked for.

const promptMax = 4100;
/** Lower than the real one: a gateway may sell less. */
const musicMsMin = 1000;
const musicMsMax = 600_000;
const soundSecondsMin = 0.5;
const soundSecondsMax = 30;
/** Of a sound effect whose request names no length. */
const soundSecondsUsual = 3;

async function planMusic({ body, query, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "music", readModelName(fields, "music_v1"));
  const plan = fields["composition_plan"] ?? null;
  if (plan !== null && !isFields(plan)) refuseField("composition_plan", "Input should be a valid object.");
  const prompt = plan === null ? readText(fields, "prompt") : JSON.stringify(plan);
  if (prompt.length > promptMax) refuseField("prompt", `String should have at most ${promptMax} characters.`);
  const asked = readNumber(fields, "music_length_ms", musicMsMin, musicMsMax);
  if (asked !== null && !Number.isInteger(asked)) refuseField("music_length_ms", "Input should be a valid integer.");
  const seconds = asked === null ? secondsOfSong(prompt) : asked / 1000;
  const seed = `${steered.name}:${prompt}`;
  return planAudio(steered, {
    format: readOutputFormat(query),
    seconds,
    seed,
    headers: { "song-id": madeUpId("song_", seed) },
    rewordRefusal: rewordForPrompts,
  });
}

async function planSoundEffect({ body, query, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "sound-generation", readModelName(fields, "eleven_text_to_sound_v2"));
  const text = readText(fields, "text");
  readNumber(fields, "prompt_influence", 0, 1);
  const seconds = readNumber(fields, "duration_seconds", soundSecondsMin, soundSecondsMax) ?? soundSecondsUsual;
  const seed = `${steered.name}:${text}`;
  return planAudio(steered, { format: readOutputFormat(query), seconds, seed, headers: {}, rewordRefusal: rewordForPrompts });
}

// An answer of ElevenLabs that is audio: bytes in pieces, with headers for its id and its price.

interface AudioAnswer {
  format: SoundFormat;
  /** sim-seconds-N goes before it. */
  seconds: number;
  /** Everything that the sound follows from. */
  seed: string;
  headers: Record<string, string>;
  rewordRefusal?(refusal: Refusal): Refusal;
}

async function planAudio({ model, directives }: Steered, { format, seconds, seed, headers, rewordRefusal }: AudioAnswer): Promise<Plan> {
  const { bytes, contentType } = await makeSound(format, directives.seconds ?? seconds, seed);
  const replyHeaders = { "content-type": contentType, "request-id": madeUpId("", seed), ...headers };
  const reply = { kind: "pieces" as const, headers: replyHeaders, pieces: () => cutIntoPieces(bytes) };
  return { model, directives, reply, ...(rewordRefusal && { rewordRefusal }), bytes: 0 };
}

// The names of ElevenLabs for formats of audio, and which of them the simulator makes.

const rates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const made = new Map<string, SoundFormat>([
  ...["22050_32", "24000_48", "44100_32", "44100_64", "44100_96", "44100_128", "44100_192"].map(mp3),
  ...rates.map((sampleRate) => [`pcm_${sampleRate}`, { encoding: "pcm", sampleRate, kbps: 0 }] as const),
  ...rates.map((sampleRate) => [`wav_${sampleRate}`, { encoding: "wav", sampleRate, kbps: 0 }] as const),
  ["ulaw_8000", { encoding: "ulaw", sampleRate: 8000, kbps: 0 }],
]);
const notMade = ["alaw_8000", ...[32, 64, 96, 128, 192].map((kbps) => `opus_48000_${kbps}`)];

function readOutputFormat(query: URLSearchParams): SoundFormat {
  const name = query.get("output_format") ?? "mp3_44100_128";
  const format = made.get(name);
  if (format !== undefined) return format;
  const reason = notMade.includes(name) ? "The simulator doesn't make this one." : `Input should be one of ${[...made.keys()].join(", ")}.`;
  return refuseField("output_format", reason, "query");
}

function mp3(name: string): readonly [string, SoundFormat] {
  const [sampleRate, kbps] = name.split("_").map(Number) as [number, number];
  return [`mp3_${name}`, { encoding: "mp3", sampleRate, kbps }];
}

// POST /v1/text-to-speech/{voice_id}, whole or as a stream: a text in a voice that exists.

const charactersMax = 10_000;
const modelUsual = "eleven_multilingual_v2";

async function planTextToSpeech(voice: string, { body, query, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "text-to-speech", readModelName(fields, modelUsual));
  const text = readText(fields, "text");
  const format = readOutputFormat(query);
  const speed = checkSettings(fields);
  const characters = [...text].length;
  if (characters > charactersMax) {
    refuseWith(400, "max_character_limit_exceeded", `This request's text has ${characters} characters; the limit is ${charactersMax}.`);
  }
  if (findVoice(voice) === undefined) refuseWith(404, "voice_not_found", `A voice with voice_id ${voice} was not found.`);
  const seed = `${steered.name}:${voice}:${text}`;
  const replyHeaders = { "character-cost": String(characters), "history-item-id": madeUpId("", `history ${seed}`) };
  return planAudio(steered, { format, seconds: secondsOfSpeech(text) / speed, seed, headers: replyHeaders });
}

function readModelName({ model_id: model = null }: Fields, usual: string): string {
  if (model !== null && (typeof model !== "string" || model === "")) refuseField("model_id", "Input should be a valid string.");
  return model ?? usual;
}

/** Returns the speed. */
function checkSettings({ voice_settings: settings = null }: Fields): number {
  if (settings === null) return 1;
  if (!isFields(settings)) refuseField("voice_settings", "Input should be a valid object.");
  for (const name of ["stability", "similarity_boost", "style"]) readNumber(settings, name, 0, 1);
  const boost = settings["use_speaker_boost"] ?? true;
  if (typeof boost !== "boolean") refuseField("use_speaker_boost", "Input should be true or false.");
  return readNumber(settings, "speed", 0.7, 1.2) ?? 1;
}
