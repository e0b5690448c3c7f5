// Steering by model id: `anything+sim-slow-2000ms+sim-cut-after-5`. Owns the list of knobs and how an id is read;
// what a knob does stands in faults.ts, send.ts and the protocols. README.md says the same in words.
import { Refused } from "./refused.ts";

/** N stands for a whole number of at most `max`. */
const patterns = {
  fail: { form: "sim-fail-N", min: 300, max: 599 },
  status: { form: "sim-N", min: 400, max: 599 },
  retryAfter: { form: "sim-retry-after-N", max: 3600 },
  quota: { form: "sim-quota" },
  refuse: { form: "sim-refuse" },
  refuseStatus: { form: "sim-refuse-N", min: 400, max: 499 },
  reject: { form: "sim-reject" },
  rejectStatus: { form: "sim-reject-N", min: 400, max: 499 },
  context: { form: "sim-context" },
  hang: { form: "sim-hang" },
  reset: { form: "sim-reset" },
  badJson: { form: "sim-bad-json" },
  html: { form: "sim-html" },
  empty: { form: "sim-empty" },
  okError: { form: "sim-200-error" },
  cutAfter: { form: "sim-cut-after-N", max: 1e6 },
  endAfter: { form: "sim-end-after-N", max: 1e6 },
  stallAfter: { form: "sim-stall-after-N", max: 1e6 },
  errorAfter: { form: "sim-error-after-N", max: 1e6 },
  flaky: { form: "sim-flaky-N", min: 1, max: 1e6 },
  slowMs: { form: "sim-slow-Nms", max: 600_000 },
  paceMs: { form: "sim-pace-Nms", max: 60_000 },
  splitBytes: { form: "sim-split-N", min: 1, max: 65_536 },
  crlf: { form: "sim-crlf" },
  comments: { form: "sim-comments" },
  noDone: { form: "sim-no-done" },
  tokens: { form: "sim-tokens-N", max: 1e6 },
  reasoningTokens: { form: "sim-reasoning-tokens-N", max: 1e5 },
  bigBytes: { form: "sim-big-N", min: 1, max: 1_048_576 },
  noUsage: { form: "sim-no-usage" },
  usageEveryChunk: { form: "sim-usage-every-chunk" },
  usageInFinish: { form: "sim-usage-in-finish" },
  promptTokens: { form: "sim-prompt-tokens-N", max: 1e9 },
  completionTokens: { form: "sim-completion-tokens-N", max: 1e9 },
  cachedTokens: { form: "sim-cached-N", max: 1e9 },
  cacheWriteTokens: { form: "sim-cache-write-N", max: 1e9 },
  usageTwice: { form: "sim-usage-twice" },
  usageLate: { form: "sim-usage-late" },
  noLogprobs: { form: "sim-no-logprobs" },
  rejectLogprobs: { form: "sim-reject-logprobs" },
  interleavedTools: { form: "sim-interleaved-tools" },
  unordered: { form: "sim-unordered" },
  floatOnly: { form: "sim-float-only" },
  ignoreDimensions: { form: "sim-ignore-dimensions" },
  nullToolFields: { form: "sim-null-tool-fields" },
  wholeToolCalls: { form: "sim-whole-tool-calls" },
  noToolIndex: { form: "sim-no-tool-index" },
  reasoningField: { form: "sim-reasoning-field" },
  finishFiltered: { form: "sim-finish-filtered" },
  finishEos: { form: "sim-finish-eos" },
  finishEmpty: { form: "sim-finish-empty" },
  finishPause: { form: "sim-finish-pause" },
  finishWindow: { form: "sim-finish-window" },
  interleaved: { form: "sim-interleaved" },
  redacted: { form: "sim-redacted" },
  citations: { form: "sim-citations" },
  adaptiveOnly: { form: "sim-adaptive-only" },
  budgetOnly: { form: "sim-budget-only" },
  cohere: { form: "sim-cohere" },
  voyage: { form: "sim-voyage" },
  together: { form: "sim-together" },
  openrouter: { form: "sim-openrouter" },
  vllm: { form: "sim-vllm" },
} as const satisfies Record<string, { form: string; min?: number; max?: number }>;

export type KnobName = keyof typeof patterns;

/** The number of a knob that has one, 1 for one that has none; absent when the id doesn't name it. */
export type Knobs = Readonly<Partial<Record<KnobName, number>>>;

/** What goes wrong, against how an answer looks: with sim-flaky-N the former happens on the first N calls only. */
const faultNames = [
  ...(["fail", "status", "quota", "refuse", "refuseStatus", "reject", "rejectStatus", "context", "hang", "reset"] as const),
  ...(["badJson", "html", "empty", "okError", "cutAfter", "endAfter", "stallAfter", "errorAfter"] as const),
] satisfies KnobName[];

/** The simulator's own model names; any other id that begins with `sim-` is taken for a misspelt knob. */
const ownNames =
  "chat text reason vision search code tool tools embed embedding rerank image video " +
  "speech music voice sound transcribe decide model small large mini";
/** With any words after it (`sim-chat-large`); a number alone would be a knob's (`sim-chat-5`). */
const ownModel = new RegExp(`^sim-(${ownNames.replaceAll(" ", "|")})(?![a-z0-9])(?!-\\d*$)`);

const matchers = (Object.keys(patterns) as KnobName[]).map((name) => ({
  name,
  min: 0,
  max: 1,
  ...(patterns[name] as { form: string; min?: number; max?: number }),
  regex: new RegExp(`^${patterns[name].form.replace("N", "(\\d{1,10})")}$`),
}));

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
  for (const { name, regex, min, max } of matchers) {
    const match = regex.exec(part);
    if (match === null) continue;
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
