// Two worker processes against one: what the second costs a request. Neither is held to a core, since two need both; everything else
// shares them, so only the processor time says something.
import { compare, figuresOf, figuresOfReference, runSlice } from "../measure.ts";
import type { Running } from "../targets/types.ts";
import { chat } from "./shapes.ts";
import type { Scenario } from "./types.ts";
import { warmUp } from "./warm-up.ts";

const connections = 64;

export const twoWorkers: Scenario = {
  name: "workers",
  title: `non-stream chat, ${connections} connections, 2 workers (x bare: against 1 worker, neither held to a core)`,
  async run(bench) {
    const { ground, options } = bench;
    const started = bench.wanted("ours")
      ? [await bench.fleet.fresh("ours", { pinned: false }), await bench.fleet.fresh("ours", { workers: 2, pinned: false })]
      : [];
    const [one, two] = started as [Running, Running];
    if (one === undefined) return { unit: "request", figures: [], extra: {}, raw: [], notes: [] };
    const shape = (ms: number) => chat({ connections, loop: { kind: "closed", ms } });
    await warmUp(bench, one, shape);
    await warmUp(bench, two, shape, { workers: 2 });
    const named = { ...two, name: "ours, 2 workers" };
    const raw = await compare({ reference: one, targets: [named], rounds: options.rounds }, (target) =>
      runSlice(ground, target, [shape(options.sliceMs)], "request"),
    );
    await bench.checkAndStop([one, two]);
    return {
      unit: "request",
      figures: [{ ...figuresOfReference(raw), target: "ours, 1 worker" }, ...raw.map(figuresOf)],
      extra: {},
      raw,
      notes: [],
    };
  },
};
