// Steering by model id: `anything+sim-slow-2000ms+sim-cut-after-5`. Owns how an id is read; the knobs are listed in knob-list.ts,
// what one does stands in faults.ts, send.ts and the protocols. README.md says the same in words.
import type { IncomingHttpHeaders } from "node:http";
import { type KnobName, type Knobs, type Pattern, patterns } from "./knob-list.ts";
import { Refused } from "./request-fields.ts";

export type { KnobName } from "./knob-list.ts";

/** What goes wrong, against how an answer looks: with sim-flaky-N the former happens on the first N calls only. */
const faultNames = [
  ...(["fail", "status", "quota", "refuse", "refuseStatus", "reject", "rejectStatus", "context", "baseResp", "hang", "reset"] as const),
  ...(["badJson", "html", "empty", "okError", "cutAfter", "cutInside", "endAfter", "stallAfter", "errorAfter"] as const),
] satisfies KnobName[];

/** The simulator's own model names; any other id that begins with `sim-` is taken for a misspelt knob. */
const ownNames =
  "chat text reason vision search code tool tools embed embedding rerank image video " +
  "speech music voice sound transcribe decide model small large mini";
/** With any words after it (`sim-chat-large`); a number alone would be a knob's (`sim-chat-5`). */
const ownModel = new RegExp(`^sim-(${ownNames.replaceAll(" ", "|")})(?![a-z0-9])(?!-\\d*$)`);

const matchers = (Object.keys(patterns) as KnobName[]).map((name) => {
  const pattern: Pattern = patterns[name];
  const part =
    pattern.words === undefined ? pattern.form.replace("N", "(\\d{1,10})") : pattern.form.replace("WORD", `(${pattern.words.join("|")})`);
  return { name, min: 0, max: 1, ...pattern, regex: new RegExp(`^${part}$`) };
});

/** Splits an upstream model id into its plain name and its knobs; a `sim-…` part that is no knob is refused. */
export function readModelId(id: string): { name: string; knobs: Knobs } {
  const knobs: Partial<Record<KnobName, number>> = {};
  const names: string[] = [];
  for (const part of id.split("+")) {
    if (!part.startsWith("sim-") || ownModel.test(part)) names.push(part);
    else {
      const [name, value] = readKnob(part);
      knobs[name] = value;
    }
  }
  if (knobs.flaky !== undefined && !faultNames.some((name) => name in knobs)) knobs.fail = 503;
  return { name: names.join("+") || "sim", knobs };
}

/** The same knobs once sim-flaky-N has failed often enough. */
export function withoutFaults(knobs: Knobs): Knobs {
  return Object.fromEntries(Object.entries(knobs).filter(([name]) => !(faultNames as string[]).includes(name)));
}

export function hasFault(knobs: Knobs): boolean {
  return faultNames.some((name) => name in knobs);
}

function readKnob(part: string): [KnobName, number] {
  for (const { name, regex, min, max, words } of matchers) {
    const match = regex.exec(part);
    if (match === null) continue;
    if (words !== undefined) return [name, words.indexOf(match[1]!)];
    const value = match[1] === undefined ? 1 : Number(match[1]);
    if (value >= min && value <= max) return [name, value];
  }
  const forms = matchers.map(({ form }) => form).join(", ");
  throw new Refused({
    status: 400,
    type: "invalid_request_error",
    code: "unknown_knob",
    param: "model",
    message: `The simulator has no knob ${part}. Knobs: ${forms}`,
  });
}

// Knobs for operations that name no model: the header `x-sim-knobs`, which a provider's `headers` in a catalog file can send.
// `sim-slow-50ms, voices=sim-fail-503`: a part that names an operation is for that one only. They join those of the model id.

const knobsHeader = "x-sim-knobs";

export interface Steered {
  /** What the record shows and what flaky calls are counted by; null where nothing steers. */
  model: string | null;
  /** The model's, without knobs; empty where there is none. */
  name: string;
  knobs: Knobs;
}

export function readSteering(headers: IncomingHttpHeaders, operation: string, model: string | null): Steered {
  const sent = String(headers[knobsHeader] ?? "")
    .split(",")
    .map((part) => part.trim());
  const mine = sent.flatMap((part) => {
    const [first, second] = part.split("=", 2) as [string, string | undefined];
    if (second === undefined) return first === "" ? [] : [first];
    return first.trim() === operation ? [second.trim()] : [];
  });
  const name = model === null ? "" : readModelId(model).name;
  if (mine.length === 0) return { model, name, knobs: model === null ? {} : readModelId(model).knobs };
  const joined = [model ?? operation, ...mine].join("+");
  return { model: joined, name, knobs: readModelId(joined).knobs };
}
