// Knobs for operations that name no model: the header `x-sim-knobs`, which a provider's `headers` in a catalog file can send.
// `sim-slow-50ms, voices=sim-fail-503`: a part that names an operation is for that one only. They join those of the model id.
import type { IncomingHttpHeaders } from "node:http";
import type { Knobs } from "./knob-list.ts";
import { readModelId } from "./knobs.ts";

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
