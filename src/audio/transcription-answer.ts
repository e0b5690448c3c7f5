// The reply of a transcription or translation: its five formats, and the headers that all of them have.
import type { components } from "../../generated/api.d.ts";
import { toUsd, usdText } from "../money.ts";
import type { Segment } from "../providers/verbs/audio.ts";
import type { Transcribed } from "./transcribe.ts";

type Transcription = components["schemas"]["Transcription"];
type Translation = components["schemas"]["Translation"];

export const transcriptionAnswer = (transcribed: Transcribed) => answerWith(transcribed, transcriptionBody);
export const translationAnswer = (transcribed: Transcribed) => answerWith(transcribed, translationBody);

function answerWith<Body>(transcribed: Transcribed, bodyOf: (transcribed: Transcribed) => Body) {
  const { transcript, request } = transcribed;
  const headers = headersOf(transcribed);
  const asText = (type: string, text: string) => ({
    status: 200 as const,
    headers: { ...headers, "content-type": `${type}; charset=utf-8` },
    bytes: Buffer.from(text),
  });
  switch (request.format) {
    case "text":
      return asText("text/plain", `${transcript.text.trim()}\n`);
    case "srt":
      return asText("application/x-subrip", srtOf(transcript.segments ?? []));
    case "vtt":
      return asText("text/vtt", vttOf(transcript.segments ?? []));
    default:
      return { status: 200 as const, headers, body: bodyOf(transcribed) };
  }
}

function headersOf({ asked: { model, alias }, served, seconds, bill }: Transcribed): Record<string, string> {
  return {
    "x-litellm-response-cost": usdText(bill.cost),
    "x-svc-model": model.id,
    ...(alias === null ? {} : { "x-svc-alias": alias }),
    "x-svc-duration-sec": String(seconds),
    "x-svc-billable-minutes": String(bill.charge.units),
    "x-svc-cost-usd": usdText(bill.cost),
    "x-svc-balance-usd": usdText(bill.balance),
    ...(served.model === model ? {} : { "x-svc-fallback": served.model.id }),
    ...(served.layer === 0 ? {} : { "x-svc-fallback-layer": String(served.layer) }),
  };
}

function transcriptionBody(transcribed: Transcribed): Transcription {
  const { transcript, request } = transcribed;
  return { task: "transcribe", language: languageName(transcript.language, request.language), ...textAndBill(transcribed) };
}

function translationBody(transcribed: Transcribed): Translation {
  return { task: "translate", language: "english", ...textAndBill(transcribed) };
}

function textAndBill({ asked: { model }, request, transcript, served, seconds, bill }: Transcribed) {
  const { segments } = transcript;
  return {
    // 0 when a plain-text fallback served; the bill states the length all the same.
    duration: served.layer === 3 ? 0 : seconds,
    text: transcript.text.trim(),
    ...(request.format === "verbose_json" && segments !== null ? { segments } : {}),
    model: model.id,
    billing: {
      duration_sec: seconds,
      billable_minutes: bill.charge.units,
      cost_usd: toUsd(bill.cost),
      balance_usd: toUsd(bill.balance),
      ...(served.model === model ? {} : { fallback: served.model.id }),
    },
  };
}

// The full lower-case English name of a language, however it was given: clients map such names to codes.

/** The first of these that is a language, as a name or a code; else `unknown`. */
export function languageName(...given: readonly (string | null)[]): string {
  for (const one of given) {
    const name = one === null ? null : nameOf(one.trim());
    if (name !== null) return name;
  }
  return "unknown";
}

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

/** Names for which clients use another word than the standard. */
const clientNames: Record<string, string> = { filipino: "tagalog" };

/** What upstreams report for no language, or for several. */
const noNames = new Set(["mul", "zxx", "unknown", "undetermined", "none", "auto", "multi", "multilingual"]);

function nameOf(text: string): string | null {
  if (noNames.has(text.toLowerCase())) return null;
  const code = /^([a-z]{2,3})(?:[-_][a-z0-9]{2,8})*$/i.exec(text)?.[1];
  if (code !== undefined) {
    const name = names.of(code);
    return name === undefined ? null : plain(name);
  }
  return /^\p{L}[\p{L}\p{M} ()'-]{2,60}$/u.test(text) ? plain(text) : null;
}

/** Without accents, as in `maori`. */
function plain(name: string): string {
  const bare = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return clientNames[bare] ?? bare;
}

// Subtitle files from timed segments: SubRip and WebVTT (docs/behaviour/audio.md#formats-of-transcripts). Players must not get what upstreams
// may send: times that overlap, run backwards or are negative, and texts that would end a cue.

type Timed = Pick<Segment, "start" | "end" | "text">;

export function srtOf(segments: readonly Timed[]): string {
  const cues = cuesOf(segments).map(
    ({ startMs, endMs, lines }, index) =>
      `${index + 1}\n${timeText(startMs, ",")} --> ${timeText(endMs, ",")}\n${lines.map(withoutArrows).join("\n")}\n`,
  );
  return cues.join("\n");
}

export function vttOf(segments: readonly Timed[]): string {
  const cues = cuesOf(segments).map(
    ({ startMs, endMs, lines }) => `${timeText(startMs, ".")} --> ${timeText(endMs, ".")}\n${lines.map(escapeCue).join("\n")}\n`,
  );
  return ["WEBVTT\n", ...cues].join("\n");
}

interface Cue {
  startMs: number;
  endMs: number;
  /** At least one, none blank. */
  lines: string[];
}

/** In the order of their starts; they don't overlap, and each has a duration. */
function cuesOf(segments: readonly Timed[]): Cue[] {
  const cues = segments
    .map(({ start, end, text }) => {
      const [one, other] = [timeMs(start), timeMs(end)];
      return { startMs: Math.min(one, other), endMs: Math.max(one, other), lines: linesOf(text) };
    })
    .filter(({ lines }) => lines.length > 0)
    .sort((one, other) => one.startMs - other.startMs);
  let last = -1;
  for (const cue of cues) cue.startMs = last = Math.max(cue.startMs, last + 1);
  for (const [index, cue] of cues.entries()) {
    const next = cues[index + 1]?.startMs ?? Infinity;
    cue.endMs = Math.min(Math.max(cue.endMs, cue.startMs + 1), next);
  }
  return cues;
}

/** Players read two digits of hours. */
const timeMsMax = 99 * 3_600_000;

function timeMs(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.round(seconds * 1000), 0), timeMsMax) : 0;
}

/** A blank line would end the cue, and so would characters that some readers take for a line break. */
function linesOf(text: string): string[] {
  return text
    .split(/[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+/)
    .map((line) => line.replace(/\p{Cc}/gu, " ").trim())
    .filter((line) => line !== "");
}

/** SubRip can't escape the arrow that marks a line of times. Not a regular expression: millions of dashes would overflow its stack. */
function withoutArrows(line: string): string {
  let kept = "";
  let from = 0;
  for (let arrow = line.indexOf("-->"); arrow !== -1; arrow = line.indexOf("-->", from)) {
    let begin = arrow;
    while (begin > from && line[begin - 1] === "-") begin -= 1;
    kept += `${line.slice(from, begin)}->`;
    from = arrow + "-->".length;
  }
  return kept + line.slice(from);
}

/** WebVTT reads markup in a cue's text. */
function escapeCue(line: string): string {
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function timeText(ms: number, point: "," | "."): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  const fraction = String(ms % 1000).padStart(3, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${point}${fraction}`;
}
