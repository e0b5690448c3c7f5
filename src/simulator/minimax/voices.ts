// The voices of MiniMax: three hundred of its own, always the same, and those that were cloned and designed here, which are
// listed once they have spoken.
import { LRUCache } from "lru-cache";
import { readSteering } from "../directives.ts";
import type { Ask, Plan } from "../protocol.ts";
import { readForm, type SentForm } from "../read-form.ts";
import type { Fields } from "../request-fields.ts";
import { digest, madeUpId } from "../seed.ts";
import { makeSound, secondsOfSpeech } from "../sound/make-sound.ts";
import { measureSound } from "../sound/measure-sound.ts";
import { codes, planJson, readBodyFields, readText, refuseParameter, refuseWith } from "./errors.ts";

type MadeKind = "voice_cloning" | "voice_generation";

export interface Voices {
  has(id: string): boolean;
  /** A voice that is spoken with is listed from then on. */
  use(id: string): void;
  add(id: string, kind: MadeKind): void;
  listSystem(): readonly Fields[];
  listMade(kind: MadeKind): Fields[];
}

/** The oldest ones are forgotten first. */
const madeMax = 5000;
const languages = "English Chinese German French Spanish Portuguese Italian Japanese Korean Arabic Turkish Dutch".split(" ");
const speakers =
  "calm-woman wise-woman friendly-person inspirational-girl deep-voice-man casual-guy lively-girl patient-man young-knight determined-man " +
  "lovely-girl decent-boy imposing-manner elegant-man abbess sweet-girl exuberant-girl storyteller news-anchor audiobook-reader " +
  "gentle-grandmother cheerful-host serious-teacher radio-voice whispering-friend";
/** The simulator has no clock. */
const createdTime = "2026-01-01";

export function keepVoices(): Voices {
  const made = new LRUCache<string, { kind: MadeKind; isUsed: boolean }>({ max: madeMax });
  const system = inventVoices();
  const systemIds = new Set(system.map(({ voice_id }) => voice_id));
  return {
    has: (id) => systemIds.has(id) || made.has(id),
    use(id) {
      const voice = made.get(id);
      if (voice !== undefined) voice.isUsed = true;
    },
    add: (id, kind) => void made.set(id, { kind, isUsed: false }),
    listSystem: () => system,
    listMade: (kind) =>
      [...made.entries()]
        .filter(([, voice]) => voice.kind === kind && voice.isUsed)
        .map(([voice_id]) => ({ voice_id, description: [], created_time: createdTime })),
  };
}

/** English ones are named by the speaker alone. */
function inventVoices(): Fields[] {
  return languages.flatMap((language) =>
    speakers.split(" ").map((speaker) => {
      const words = speaker.replaceAll("-", " ");
      return {
        voice_id: language === "English" ? speaker : `${language}_${speaker}`,
        voice_name: words.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
        description: [`A ${words} who speaks ${language}.`, language.toLowerCase(), ...words.split(" ").slice(0, 1)],
      };
    }),
  );
}

// Voices of the operator's own: listing, cloning from an uploaded sample, and designing from a description.

/** Seconds of the voice samples by their ids. */
export type VoiceSamples = LRUCache<number, number>;

const sampleBytesMax = 20 * 1024 * 1024;
const sampleSecondsMin = 10;
const sampleSecondsMax = 300;
const sampleKinds: readonly string[] = ["mp3", "mp4", "wav"];
const previewMax = 500;
const descriptionMax = 2000;
const listKinds = ["system", "voice_cloning", "voice_generation"];
const trialFormat = { encoding: "mp3", sampleRate: 32_000, kbps: 128 } as const;

export function planVoiceList(voices: Voices, { body, headers }: Ask): Plan {
  const type = readText(readBodyFields(body), "voice_type", 100);
  const steered = readSteering(headers, "get_voice", null);
  if (type !== "all" && !listKinds.includes(type)) refuseParameter("voice_type");
  const made = (["voice_cloning", "voice_generation"] as MadeKind[]).filter((kind) => type === "all" || type === kind);
  return planJson(steered, {
    ...(type === "all" || type === "system" ? { system_voice: voices.listSystem().slice(0, steered.directives.voices) } : {}),
    ...Object.fromEntries(made.map((kind) => [kind, voices.listMade(kind)])),
  });
}

export function planUpload(samples: VoiceSamples, { body, headers }: Ask): Plan {
  const { model, directives } = readSteering(headers, "upload", null);
  const { fields, files, parts } = readUpload(body, headers["content-type"] ?? "");
  const [file] = files.filter(({ name }) => name === "file");
  if (new Map(fields).get("purpose") !== "voice_clone") refuseParameter("purpose is voice_clone");
  if (file === undefined) refuseParameter("file is required");
  if (file.bytes.length > sampleBytesMax) refuseParameter("the file is larger than 20 MB");
  const sound = measureSound(file.bytes);
  if (sound === null || !sampleKinds.includes(sound.kind) || !/\.(mp3|m4a|wav)$/i.test(file.fileName))
    refuseParameter("the file is no mp3, m4a or wav");
  // The same sample has the same id.
  const id = Number.parseInt(digest(file.bytes.toString("latin1")).slice(0, 12), 16);
  samples.set(id, directives.seconds ?? sound.seconds);
  const metadata = { file_id: id, bytes: file.bytes.length, created_at: 1_767_225_600, filename: file.fileName, purpose: "voice_clone" };
  return { ...planJson({ model, directives }, { file: metadata }), parts };
}

function readUpload(body: Buffer, contentType: string): SentForm {
  try {
    return readForm(body, contentType);
  } catch {
    return refuseParameter("the body is no form");
  }
}

export function planClone(voices: Voices, samples: VoiceSamples, { body, headers }: Ask): Plan {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "voice_clone", typeof fields["model"] === "string" ? fields["model"] : null);
  const id = readNewId(voices, readText(fields, "voice_id", 256));
  const seconds = samples.get(Number(fields["file_id"]));
  if (seconds === undefined) refuseParameter("file_id");
  if (seconds < sampleSecondsMin || seconds > sampleSecondsMax) refuseWith(codes.sampleLength, "voice duration too short or too long");
  const plan = planJson(steered, { input_sensitive: false, input_sensitive_type: 0, demo_audio: "" });
  return { ...plan, takeEffect: () => voices.add(id, "voice_cloning") };
}

export async function planDesign(voices: Voices, { body, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "voice_design", typeof fields["model"] === "string" ? fields["model"] : null);
  const prompt = readText(fields, "prompt", descriptionMax);
  const preview = readText(fields, "preview_text", previewMax);
  const asked = fields["voice_id"] === undefined ? null : readNewId(voices, readText(fields, "voice_id", 256));
  const id = asked === null || steered.directives.otherVoiceId ? madeUpId("ttv-voice-", `${prompt}:${asked}`) : asked;
  const trial = await makeSound(trialFormat, secondsOfSpeech(preview), prompt);
  const plan = planJson(steered, { voice_id: id, trial_audio: trial.bytes.toString("hex") });
  return { ...plan, takeEffect: () => voices.add(id, "voice_generation") };
}

function readNewId(voices: Voices, id: string): string {
  if (!/^[A-Za-z][\w-]{6,254}[A-Za-z0-9]$/.test(id)) refuseParameter("voice_id has 8 to 256 letters, digits, - and _");
  if (voices.has(id)) refuseWith(codes.duplicateVoice, "voice clone duplicate");
  return id;
}
