// 300 requests a second whatever the answers do, an upstream that takes 20 ms: the latency a caller sees added at ordinary load, and what a
// call costs that no other shares a statement with.
import { compare, figuresOf, figuresOfReference, runSlice, type Shape } from "../measure.ts";
import type { Running } from "../targets/types.ts";
import { withoutPeers } from "./names.ts";
import { chat } from "./shapes.ts";
import type { Scenario } from "./types.ts";
import { warmUp } from "./warm-up.ts";

const connections = 512;
const rate = 300;
const delayed = "mock-20-200-0";

export const openLoop: Scenario = {
  name: "open-300",
  title: "non-stream chat, 300 requests a second, upstream takes 20 ms",
  async run(bench) {
    const { ground, options, reference } = bench;
    const targets = await bench.targets(withoutPeers);
    const shape = (ms: number): Shape => chat({ model: delayed, connections, loop: { kind: "open", rate, ms } });
    const run = (target: Running, ms: number) => runSlice(ground, target, [shape(ms)], "request");
    for (const target of [reference, ...targets]) await warmUp(bench, target, shape);
    const raw = await compare({ reference, targets, rounds: options.rounds }, (target) =>
      bench.profiled(target, () => run(target, options.sliceMs * 2)),
    );
    return {
      unit: "request",
      figures: [figuresOfReference(raw), ...raw.map(figuresOf)],
      extra: {},
      raw,
      notes: [],
    };
  },
};
