// Subtitle files from timed segments: SubRip and WebVTT (docs/behaviour/audio.md#formats-of-transcripts). Players must not get what upstreams
// may send: times that overlap, run backwards or are negative, and texts that would end a cue.
import type { Segment } from "../providers/verbs/audio.ts";

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
