// Five hundred streams open at once, each a chunk every 100 ms, as models speak: processor time a chunk and memory a stream, while all
// are open. Each round has new processes, since a stream's memory is what a process did not have before.
import { setTimeout as sleep } from "node:timers/promises";
import { type Compared, cpuUsOfTarget, figuresOf, figuresOfReference, residentMbOf, runSlice, type Slice } from "../measure.ts";
import { openInspectorOf } from "../inspector.ts";
import { median } from "../processes.ts";
import type { Running } from "../targets/types.ts";
import { chat } from "./shapes.ts";
import type { Bench, Scenario } from "./types.ts";
import { warmUp } from "./warm-up.ts";

const chunks = 100;
const gapMs = 100;
const model = `mock-0-${chunks}-${gapMs}`;
/** They are opened over this time: no multiple of the gap, in which streams of a quick target would stay in step and share wakes. */
const openingMs = 1_037;
/** All are open from then until the first ends. */
const watched = { fromMs: openingMs + 1_000, untilMs: chunks * gapMs - 2_000 };
const calmMs = 2_000;

interface Watched {
  slice: Slice;
  /** KB. */
  memory: number;
}

export const pacedStreams: Scenario = {
  name: "paced-500",
  title: "streams open at once, each a chunk every 100 ms; processor time a chunk while all are open",
  async run(bench) {
    const names = ["nginx", "ours"].filter(bench.wanted);
    const raw = names.map((target): Compared => ({ target, pairs: [] }));
    const memory = new Map<string, number[]>();
    const note = (target: string, kb: number) => memory.set(target, [...(memory.get(target) ?? []), kb]);
    const ratios = new Map<string, number[]>();
    for (let round = 0; round < Math.min(2, bench.options.rounds); round += 1)
      for (const [index, name] of names.entries()) {
        const reference = await watch(bench, "bare");
        const target = await watch(bench, name);
        if (reference === null || target === null) continue;
        raw[index]?.pairs.push({ reference: reference.slice, slice: target.slice });
        note("bare", reference.memory);
        note(name, target.memory);
        ratios.set(name, [...(ratios.get(name) ?? []), target.memory / reference.memory]);
      }
    const kept = raw.filter(({ pairs }) => pairs.length > 0);
    const extra: Record<string, Record<string, number>> = {};
    for (const [name, values] of memory) extra[name] = { "KB/stream": median(values), "KB x bare": median(ratios.get(name) ?? [1]) };
    const streams = streamsOf(bench);
    return {
      unit: "record",
      figures: [figuresOfReference(kept), ...kept.map(figuresOf)],
      extra,
      raw: kept,
      notes: [`${streams} streams.`],
    };
  },
};

function streamsOf({ options }: Bench): number {
  return options.quick ? 50 : 500;
}

/** A new process, warm and calm; then its streams. */
async function watch(bench: Bench, name: string): Promise<Watched | null> {
  const { ground } = bench;
  const target = await bench.fleet.fresh(name, { inspect: true });
  if (target === null) return null;
  await warmUp(bench, target, (ms) => chat({ stream: true, connections: 64, loop: { kind: "closed", ms } }), { unit: "record" }); // the nursery has its size, too
  await sleep(calmMs);
  const idleMb = await collectedMbOf(target);
  const streams = streamsOf(bench);
  const shape = chat({ model, stream: true, connections: streams, loop: { kind: "once", ms: openingMs } });
  const running = runSlice(ground, target, [shape], "record");
  const [seen, slice] = await Promise.all([whileOpen(target), running]);
  await bench.checkAndStop([target]);
  const watchedChunks = (streams * seen.seconds * 1000) / gapMs;
  return {
    slice: { ...slice, cpuUs: seen.cpuUs / watchedChunks, busy: seen.cpuUs / (seen.seconds * 1e6) },
    memory: ((seen.residentMb - idleMb) * 1024) / streams,
  };
}

async function whileOpen(target: Running): Promise<{ cpuUs: number; seconds: number; residentMb: number }> {
  await sleep(watched.fromMs);
  const startedAt = performance.now();
  const before = cpuUsOfTarget(target);
  await sleep(watched.untilMs - watched.fromMs);
  const cpuUs = cpuUsOfTarget(target) - before;
  const seconds = (performance.now() - startedAt) / 1000;
  return { cpuUs, seconds, residentMb: await collectedMbOf(target) };
}

/** What is resident once the garbage is gone: without it, what the warm-up left would be taken for the streams' or hide them. */
async function collectedMbOf(target: Running): Promise<number> {
  if (target.logFile !== null) {
    const inspector = await openInspectorOf(target.logFile);
    for (let turn = 0; turn < 2; turn += 1) await inspector.call("HeapProfiler.collectGarbage");
    inspector.close();
  }
  return residentMbOf(target);
}
