// Requests at a fixed rate whatever the answers do, an upstream that takes 20 ms: the latency a caller sees added. The rate is a third
// of what saturates ours, the same for all.
import { compare, figuresOf, figuresOfReference, runSlice, type Shape } from "../measure.ts";
import type { Running } from "../targets/types.ts";
import { warmUpMs } from "./closed.ts";
import { ours } from "./names.ts";
import { chat } from "./shapes.ts";
import type { Bench, Scenario } from "./types.ts";

const connections = 512;
const delayed = "mock-20-200-0";

export const openLoop: Scenario = {
  name: "open-loop",
  title: "non-stream chat at a fixed rate, upstream takes 20 ms",
  async run(bench) {
    const { ground, options, reference } = bench;
    const targets = await bench.targets(["direct", "nginx", ...ours]);
    const rate = Math.max(10, Math.round((await saturation(bench)) / 3));
    const shape = (ms: number): Shape => chat({ model: delayed, connections, loop: { kind: "open", rate, ms } });
    const run = (target: Running, ms: number) => runSlice(ground, target, [shape(ms)], "request");
    for (const target of [reference, ...targets]) await run(target, warmUpMs(bench, target));
    const raw = await compare({ reference, targets, rounds: options.rounds }, (target) =>
      bench.profiled(target, () => run(target, options.sliceMs * 2)),
    );
    return {
      unit: "request",
      figures: [figuresOfReference(raw), ...raw.map(figuresOf)],
      extra: {},
      raw,
      notes: [`${rate} requests a second.`],
    };
  },
};

/** Of ours with everything on: found in chat-64, or asked for now. */
async function saturation(bench: Bench): Promise<number> {
  const known = bench.known.get("saturation-64");
  if (known !== undefined) return known;
  const [target] = await bench.targets(["ours-full"]);
  const asked = target ?? bench.reference;
  const shape = (ms: number) => [chat({ connections: 64, loop: { kind: "closed", ms } })];
  await runSlice(bench.ground, asked, shape(warmUpMs(bench, asked)), "request");
  return (await runSlice(bench.ground, asked, shape(bench.options.sliceMs), "request")).perSecond;
}
