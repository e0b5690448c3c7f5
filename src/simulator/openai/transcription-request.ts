// What a transcription reads of its form, with the refusals of the real API.
import type { Directives } from "../directive-list.ts";
import { readModelId } from "../directives.ts";
import type { SentFile, SentForm } from "../read-form.ts";
import { refuse } from "../request-fields.ts";
import { type MeasuredSound, measureSound } from "../sound/measure-sound.ts";

export interface TranscriptionRequest {
  task: "transcribe" | "translate";
  model: string;
  directives: Directives;
  file: SentFile;
  sound: MeasuredSound;
  format: TranscriptionFormat;
  /** ISO 639-1; null: the simulator hears English. */
  language: string | null;
  temperature: number;
  withSegments: boolean;
  withWords: boolean;
  stream: boolean;
  speakers: readonly string[];
}

const transcriptionFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
type TranscriptionFormat = (typeof transcriptionFormats)[number];

const extensions = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];
const secondsMin = 0.1;
const translated = "model prompt response_format temperature";
const known = {
  translate: new Set(translated.split(" ")),
  transcribe: new Set(
    `${translated} language timestamp_granularities[] timestamp_granularities stream include[] chunking_strategy known_speaker_names[] known_speaker_references[]`.split(
      " ",
    ),
  ),
};
const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** `english` for `en`; null where there is no such language. */
export function nameLanguage(code: string): string | null {
  return /^[a-z]{2,3}$/.test(code) ? (languageNames.of(code)?.toLowerCase() ?? null) : null;
}

export function readTranscriptionRequest({ fields, files }: SentForm, task: TranscriptionRequest["task"]): TranscriptionRequest {
  const names = [...fields.map(([name]) => name), ...files.map(({ name }) => name)];
  const unknown = names.find((name) => name !== "file" && !known[task].has(name));
  if (unknown !== undefined) refuse(unknown, `Unknown parameter: '${unknown}'.`, "unknown_parameter");
  const sent = new Map(fields);
  const model = sent.get("model") ?? "";
  if (model === "") refuse("model", "you must provide a model parameter");
  const { name, directives } = readModelId(model);
  const file = readFile(files);
  const format = readFormat(sent.get("response_format") ?? "json", name, directives);
  const sound = hear(file, directives);
  const granularities = fields.filter(([field]) => field.startsWith("timestamp_granularities")).map(([, value]) => value);
  checkGranularities(granularities, format);
  const stream = readStream(sent.get("stream") ?? "false", name);
  if (stream && format !== "json" && format !== "diarized_json")
    refuse("response_format", `A stream has the response_format 'json', not '${format}'.`, "unsupported_value");
  return {
    task,
    model,
    directives,
    file,
    sound,
    format,
    language: readLanguage(sent.get("language") ?? null),
    temperature: readTemperature(sent.get("temperature") ?? "0"),
    withSegments: granularities.length === 0 || granularities.includes("segment"),
    withWords: granularities.includes("word"),
    stream,
    speakers: readSpeakers(fields, format, sound.seconds, sent.get("chunking_strategy") ?? null),
  };
}

const unchunkedSecondsMax = 30;
const speakersMax = 4;

/** Names of those who are known; a letter stands for anyone else. */
function readSpeakers(fields: SentForm["fields"], format: TranscriptionFormat, seconds: number, chunking: string | null): string[] {
  const of = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
  const names = of("known_speaker_names[]");
  const references = of("known_speaker_references[]");
  if (format === "diarized_json" && chunking === null && seconds > unchunkedSecondsMax)
    refuse("chunking_strategy", "chunking_strategy is required for diarization models.");
  if (names.length > speakersMax || names.length !== references.length || (names.length > 0 && format !== "diarized_json"))
    refuse("known_speaker_names", "Invalid 'known_speaker_names': expected up to four, each with its reference.");
  if (references.some((url) => !/^data:audio\/[\w.+-]+;base64,/.test(url)))
    refuse("known_speaker_references", "Invalid 'known_speaker_references': expected data URLs of audio.");
  return [...names, ..."ABCD"].slice(0, Math.max(2, names.length));
}

function readFile(files: readonly SentFile[]): SentFile {
  const [file, ...others] = files;
  if (file === undefined) refuse("file", "Missing required parameter: 'file'.", "missing_required_parameter");
  if (others.length > 0) refuse("file", "Only one file can be transcribed.", "invalid_value");
  const extension = file.fileName.toLowerCase().split(".").at(-1)!;
  if (!extensions.includes(extension)) refuse("file", `Invalid file format. Supported formats: ${JSON.stringify(extensions)}`);
  return file;
}

function hear({ bytes }: SentFile, directives: Directives): MeasuredSound {
  const sound = measureSound(bytes);
  if (sound === null) refuse("file", "The audio file could not be decoded or its format is not supported.", "invalid_value");
  if (sound.seconds < secondsMin) {
    refuse("file", `Audio file is too short. Minimum audio length is ${secondsMin} seconds.`, "audio_too_short");
  }
  return { ...sound, seconds: directives.seconds ?? sound.seconds };
}

/** Names with the word `plain`, and those of OpenAI's newer models, know nothing but the text. */
function readFormat(sent: string, name: string, directives: Directives): TranscriptionFormat {
  const format = transcriptionFormats.find((one) => one === sent);
  if (format === undefined)
    refuse("response_format", `Invalid value: '${sent}'. Supported values are: ${transcriptionFormats.join(", ")}.`);
  if (format === "diarized_json") {
    if (name.includes("diarize")) return format;
    refuse("response_format", `response_format '${sent}' is not compatible with model '${name}'.`, "unsupported_value");
  }
  const hasTimes = format !== "json" && format !== "text";
  if (hasTimes && (directives.jsonOnly || /\bplain|^gpt-4o/.test(name))) {
    refuse(
      "response_format",
      `response_format '${sent}' is not compatible with model '${name}'. Use 'json' or 'text'.`,
      "unsupported_value",
    );
  }
  return format;
}

/** Whisper ignores it. */
function readStream(sent: string, name: string): boolean {
  if (sent !== "true" && sent !== "false") refuse("stream", "Invalid 'stream': expected a boolean.");
  return sent === "true" && !name.startsWith("whisper");
}

function checkGranularities(granularities: readonly string[], format: TranscriptionFormat): void {
  const param = "timestamp_granularities";
  if (granularities.some((one) => one !== "segment" && one !== "word")) refuse(param, `Invalid '${param}': expected 'segment' or 'word'.`);
  if (granularities.length > 0 && format !== "verbose_json") refuse(param, `'${param}' needs response_format 'verbose_json'.`);
}

function readLanguage(code: string | null): string | null {
  if (code !== null && nameLanguage(code) === null) {
    refuse("language", `Invalid language '${code}'. Language parameter must be specified in ISO-639-1 format.`, "invalid_language_format");
  }
  return code;
}

function readTemperature(sent: string): number {
  const temperature = Number(sent);
  if (sent.trim() === "" || !(temperature >= 0 && temperature <= 1)) refuse("temperature", "Invalid 'temperature': expected 0 to 1.");
  return temperature;
}
