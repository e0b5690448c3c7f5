// POST /audio/speech: a text as audio, sent in pieces, with the refusals of the real API.
import { readModelId } from "../directives.ts";
import type { Ask, Plan } from "../protocol.ts";
import { type Fields, isFields, readFields, readModel, type Refusal, refuse } from "../request-fields.ts";
import { cutIntoPieces, makeSound, secondsOfSpeech, type SoundFormat } from "../sound/make-sound.ts";

const inputMax = 4096;
const speedMin = 0.25;
const speedMax = 4;
const sampleRate = 24_000;
const formats: Record<string, SoundFormat> = {
  mp3: { encoding: "mp3", sampleRate, kbps: 128 },
  wav: { encoding: "wav", sampleRate, kbps: 0 },
  pcm: { encoding: "pcm", sampleRate, kbps: 0 },
};
const known = new Set(["model", "input", "voice", "response_format", "speed", "instructions", "stream_format"]);

export async function planSpeech({ body }: Ask): Promise<Plan> {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  const unknown = Object.keys(fields).find((field) => !known.has(field));
  if (unknown !== undefined) refuse(unknown, `Unknown parameter: '${unknown}'.`, "unknown_parameter");
  if ((fields["stream_format"] ?? "audio") !== "audio") refuse("stream_format", "The simulator streams audio only.", "unsupported_value");
  const input = readInput(fields);
  const voice = readVoice(fields);
  const seconds = directives.seconds ?? secondsOfSpeech(input) / readSpeed(fields);
  const { bytes, contentType } = await makeSound(readSoundFormat(fields), seconds, `${name}:${voice}:${input}`);
  const reply = { kind: "pieces" as const, headers: { "content-type": contentType }, pieces: () => cutIntoPieces(bytes) };
  return { model, directives, reply, rewordRefusal: rewordForSpeech, bytes: 0 };
}

function readInput({ input }: Fields): string {
  if (input === undefined || input === null) refuse("input", "Missing required parameter: 'input'.", "missing_required_parameter");
  if (typeof input !== "string" || input === "") refuse("input", "Invalid 'input': expected a text that isn't empty.", "invalid_value");
  if ([...input].length > inputMax) {
    refuse("input", `Invalid 'input': string too long. Expected at most ${inputMax} characters.`, "string_above_max_length");
  }
  return input;
}

/** A name or `{id}`. Hosts have voices of their own, so any name is one, but those that begin with `unknown`. */
function readVoice({ voice }: Fields): string {
  const id = isFields(voice) ? voice["id"] : voice;
  if (id === undefined || id === null) refuse("voice", "Missing required parameter: 'voice'.", "missing_required_parameter");
  if (typeof id !== "string" || id === "" || id.startsWith("unknown")) {
    refuse("voice", `Invalid value: ${JSON.stringify(id)}. Supported values are: 'alloy', 'echo', 'nova' and others.`, "invalid_value");
  }
  return id;
}

function readSpeed({ speed = 1 }: Fields): number {
  if (typeof speed !== "number" || !(speed >= speedMin && speed <= speedMax)) {
    refuse("speed", `Invalid 'speed': expected a number from ${speedMin} to ${speedMax}.`, "invalid_value");
  }
  return speed;
}

function readSoundFormat({ response_format: format = "mp3" }: Fields): SoundFormat {
  const found = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  const message = `Invalid value: ${JSON.stringify(format)}. The simulator makes: ${Object.keys(formats).join(", ")}.`;
  return found ?? refuse("response_format", message, "invalid_value");
}

function rewordForSpeech(refusal: Refusal): Refusal {
  switch (refusal.code) {
    case "content_filter":
      return { ...refusal, code: "content_policy_violation", param: "input" };
    case "unsupported_value":
      return { ...refusal, code: "invalid_value", param: "voice", message: "Invalid value for 'voice'." };
    case "context_length_exceeded":
      return { ...refusal, code: "string_above_max_length", param: "input", message: "Invalid 'input': string too long." };
    default:
      return refusal;
  }
}
