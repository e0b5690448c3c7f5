// Steering by model id: `anything+sim-slow-2000ms+sim-cut-after-5`. Owns how an id is read; the directives are listed in directive-list.ts,
// what one does stands in faults.ts, send.ts and the protocols. README.md says the same in words.
import type { IncomingHttpHeaders } from "node:http";
import { type DirectiveName, type Directives, type Pattern, patterns } from "./directive-list.ts";
import { Refused } from "./request-fields.ts";

export type { DirectiveName } from "./directive-list.ts";

/** What goes wrong, against how an answer looks: with sim-flaky-N the former happens on the first N calls only. */
const faultNames = [
  ...(["fail", "status", "quota", "refuse", "refuseStatus", "reject", "rejectStatus", "context", "baseResp", "hang", "reset"] as const),
  ...(["badJson", "html", "empty", "okError", "cutAfter", "cutInside", "endAfter", "stallAfter", "errorAfter"] as const),
] satisfies DirectiveName[];

/** The simulator's own model names; any other id that begins with `sim-` is taken for a misspelt directive. */
const ownNames =
  "chat text reason vision search code tool tools embed embedding rerank image video " +
  "speech music voice sound transcribe decide model small large mini";
/** With any words after it (`sim-chat-large`); a number alone would be a directive's (`sim-chat-5`). */
const ownModel = new RegExp(`^sim-(${ownNames.replaceAll(" ", "|")})(?![a-z0-9])(?!-\\d*$)`);

const matchers = (Object.keys(patterns) as DirectiveName[]).map((name) => {
  const pattern: Pattern = patterns[name];
  const part =
    pattern.words === undefined ? pattern.form.replace("N", "(\\d{1,10})") : pattern.form.replace("WORD", `(${pattern.words.join("|")})`);
  return { name, min: 0, max: 1, ...pattern, regex: new RegExp(`^${part}$`) };
});

/** Splits an upstream model id into its plain name and its directives; a `sim-…` part that is no directive is refused. */
export function readModelId(id: string): { name: string; directives: Directives } {
  const directives: Partial<Record<DirectiveName, number>> = {};
  const names: string[] = [];
  for (const part of id.split("+")) {
    if (!part.startsWith("sim-") || ownModel.test(part)) names.push(part);
    else {
      const [name, value] = readDirective(part);
      directives[name] = value;
    }
  }
  if (directives.flaky !== undefined && !faultNames.some((name) => name in directives)) directives.fail = 503;
  return { name: names.join("+") || "sim", directives };
}

/** The same directives once sim-flaky-N has failed often enough. */
export function withoutFaults(directives: Directives): Directives {
  return Object.fromEntries(Object.entries(directives).filter(([name]) => !(faultNames as string[]).includes(name)));
}

export function hasFault(directives: Directives): boolean {
  return faultNames.some((name) => name in directives);
}

function readDirective(part: string): [DirectiveName, number] {
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
    code: "unknown_directive",
    param: "model",
    message: `The simulator has no directive ${part}. Directives: ${forms}`,
  });
}

// Directives for operations that name no model: the header `x-sim-knobs`, which a provider's `headers` in a catalog file can send.
// `sim-slow-50ms, voices=sim-fail-503`: a part that names an operation is for that one only. They join those of the model id.

const directivesHeader = "x-sim-knobs";

export interface Steered {
  /** What the record shows and what flaky calls are counted by; null where nothing steers. */
  model: string | null;
  /** The model's, without directives; empty where there is none. */
  name: string;
  directives: Directives;
}

export function readSteering(headers: IncomingHttpHeaders, operation: string, model: string | null): Steered {
  const sent = String(headers[directivesHeader] ?? "")
    .split(",")
    .map((part) => part.trim());
  const mine = sent.flatMap((part) => {
    const [first, second] = part.split("=", 2) as [string, string | undefined];
    if (second === undefined) return first === "" ? [] : [first];
    return first.trim() === operation ? [second.trim()] : [];
  });
  const name = model === null ? "" : readModelId(model).name;
  if (mine.length === 0) return { model, name, directives: model === null ? {} : readModelId(model).directives };
  const joined = [model ?? operation, ...mine].join("+");
  return { model: joined, name, directives: readModelId(joined).directives };
}
