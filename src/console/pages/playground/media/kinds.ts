// What the playground makes beside chats: which models serve a tab, the fields of its form as the model takes them, and the body of its request.
import type { ModelRow } from "svc-sdk/functions";

export const tabs = ["images", "speech", "transcription", "music", "video"] as const;
export type MediaTab = (typeof tabs)[number];
export type Values = Readonly<Record<string, string>>;

export interface MediaField {
  name: string;
  label: string;
  kind: "line" | "text" | "number" | "choice" | "file" | "voice";
  required?: boolean;
  hint?: string;
  /** Of a choice; of a line: suggestions. */
  choices?: readonly { value: string; label: string }[];
  min?: number;
  max?: number;
  step?: number | "any";
  maxLength?: number;
  /** The fields of the body; default: the value under the field's name. */
  send?: (value: string) => Record<string, unknown>;
}

export interface MediaKind {
  tab: MediaTab;
  label: string;
  action: string;
  path: string;
  /** The function of the SDK, for the code. */
  method: string;
  /** The kind of file that is saved; null: text. */
  file: string | null;
  serves: (model: ModelRow) => boolean;
  fields: (model: ModelRow) => readonly MediaField[];
}

const own = { value: "", label: "The model's own" };
const choices = (...values: string[]) => [own, ...values.map((value) => ({ value, label: value }))];
const suggestions = (...values: string[]) => values.map((value) => ({ value, label: value }));
const number = (name: string) => (value: string) => ({ [name]: Number(value) });
const takes = (model: ModelRow, parameter: string) => model.supported_parameters.includes(parameter);
const prompt = (label: string, maxLength: number): MediaField => ({ name: "prompt", label, kind: "text", required: true, maxLength });

const where = (condition: boolean, field: MediaField): MediaField[] => (condition ? [field] : []);

const size: MediaField = {
  name: "size",
  label: "Size",
  kind: "line",
  maxLength: 20,
  choices: suggestions("1024x1024", "1344x768", "768x1344", "1184x880", "880x1184"),
  hint: "Width by height in pixels, such as 1024x1024. Empty: the model's own.",
};
const references: MediaField = {
  name: "image_urls",
  label: "Reference images",
  kind: "text",
  hint: "HTTPS URLs, one per line. The gateway loads them.",
  send: (value) => ({ image_urls: value.split(/\s+/).filter((url) => url !== "") }),
};

function imageFields(model: ModelRow): MediaField[] {
  return [
    prompt("Prompt", 4_000),
    ...where(takes(model, "n"), { name: "n", label: "Number of images", kind: "number", min: 1, max: 4, step: 1, send: number("n") }),
    ...where(takes(model, "size"), size),
    ...where(model.pricing.mode === "per-quality", {
      name: "quality",
      label: "Quality",
      kind: "choice",
      choices: choices("low", "medium", "high"),
    }),
    ...where(model.input_modalities.includes("image"), references),
  ];
}

const audioFormats = ["mp3_44100_128", "mp3_44100_192", "mp3_22050_32", "pcm_16000", "pcm_24000", "pcm_44100", "ulaw_8000"];
const format: MediaField = {
  ...{ name: "response_format", label: "Format", kind: "choice", choices: choices(...audioFormats) },
  hint: "MP3 plays here; other formats are saved.",
};

export const kinds: Record<MediaTab, MediaKind> = {
  images: {
    ...{
      tab: "images",
      label: "Images",
      action: "Generate",
      path: "/v1/images/generations",
      method: "images.generateAndWait",
      file: "image",
    },
    serves: ({ type }) => type === "image",
    fields: imageFields,
  },
  speech: {
    ...{ tab: "speech", label: "Speech", action: "Speak", path: "/v1/audio/speech", method: "audio.speech.create", file: "speech.mp3" },
    serves: ({ type, capability }) => type === "speech" && capability === "text-to-speech",
    fields: () => [
      { name: "input", label: "Text", kind: "text", required: true, maxLength: 5_000, hint: "Each character is billed." },
      { name: "voice_id", label: "Voice", kind: "voice" },
      format,
    ],
  },
  transcription: {
    ...{ tab: "transcription", label: "Transcription", action: "Transcribe", path: "/v1/audio/transcriptions" },
    ...{ method: "audio.transcriptions.create", file: null },
    serves: ({ type }) => type === "transcription",
    fields: () => [
      { name: "file", label: "Recording", kind: "file", hint: "MP3, WAV, M4A, OGG, WebM or FLAC, at most 25 MB." },
      { name: "audio_url", label: "Or its URL", kind: "line", maxLength: 2_048, hint: "HTTPS, at most 100 MB. The gateway loads it." },
      { name: "language", label: "Language", kind: "line", maxLength: 2, hint: "Two letters, such as en. Empty: detected." },
      { name: "prompt", label: "Names and spelling", kind: "line", maxLength: 800, hint: "Text that guides the model." },
    ],
  },
  music: {
    ...{ tab: "music", label: "Music", action: "Compose", path: "/v1/audio/music", method: "audio.music.create", file: "music.mp3" },
    serves: ({ type, capability }) => type === "speech" && capability === "music",
    fields: (model) => [
      prompt("Description", 2_000),
      ...where(takes(model, "lyrics"), {
        name: "lyrics",
        label: "Lyrics",
        kind: "text",
        maxLength: 600,
        hint: "With [verse], [chorus] and [bridge].",
      }),
      ...where(takes(model, "music_length_ms"), {
        name: "music_length_ms",
        label: "Length (seconds)",
        kind: "number",
        min: 1,
        max: 300,
        step: 1,
        send: (value) => ({ music_length_ms: Math.round(Number(value) * 1_000) }),
      }),
      ...where(takes(model, "response_format"), format),
    ],
  },
  video: {
    ...{
      tab: "video",
      label: "Video",
      action: "Generate",
      path: "/v1/videos/generations",
      method: "videos.generateAndWait",
      file: "video",
    },
    serves: ({ type }) => type === "video",
    fields: () => [
      prompt("Prompt", 4_000),
      { name: "duration_s", label: "Length (seconds)", kind: "number", min: 1, max: 300, step: "any", send: number("duration_s") },
      { name: "aspect_ratio", label: "Aspect ratio", kind: "choice", choices: choices("16:9", "9:16") },
      { name: "image_url", label: "First frame", kind: "line", maxLength: 2_048, hint: "HTTPS URL of an image. The gateway loads it." },
    ],
  },
};

/** Fields that the model does not take are left out, though they were filled in for another one. */
export function bodyOf(kind: MediaKind, model: ModelRow, values: Values): Record<string, unknown> {
  const body: Record<string, unknown> = { model: model.id };
  for (const { name, kind: type, send } of kind.fields(model)) {
    const value = values[name]?.trim() ?? "";
    if (value !== "" && type !== "file") Object.assign(body, send?.(value) ?? { [name]: value });
  }
  return body;
}
