// Large bodies with small requests beside them: what the small ones wait, and what memory the large ones take at its highest.
import { figuresOf, figuresOfReference, runSlice, type Compared, type Shape, type Slice } from "../measure.ts";
import { forgetPeak, median, memoryOf } from "../processes.ts";
import type { Running } from "../targets/types.ts";
import { chat } from "./shapes.ts";
import type { Bench, Scenario } from "./types.ts";
import { warmUp } from "./warm-up.ts";

/** Of the small ones, a second. */
const smallRate = 100;

function bodies(megabytes: number, connections: number): Scenario {
  // The rest of the request stands beside the prompt, and all of it is within the largest body.
  const bytes = megabytes * 2 ** 20 - 1_000;
  return {
    name: `bodies-${megabytes}mb`,
    title: `${smallRate} small requests a second beside ${connections} connections that send bodies of ${megabytes} MB`,
    async run(bench) {
      const { ground, options, reference } = bench;
      const targets = await bench.targets(["ours"]);
      const ms = options.sliceMs * 2;
      const small = chat({ connections: 64, loop: { kind: "open", rate: smallRate, ms } });
      const large = chat({ bytes, connections, loop: { kind: "closed", ms: ms - 200 } });
      for (const target of [reference, ...targets]) {
        await warmUp(bench, target, (ms) => chat({ connections: 16, loop: { kind: "closed", ms } }));
        await runSlice(ground, target, [small, { ...large, loop: { kind: "closed", ms: ms / 2 } }], "request");
      }
      const raw = targets.map(({ name }): Compared => ({ target: name, pairs: [] }));
      const seen = new Map<string, Seen[]>();
      const measure = async (target: Running): Promise<Slice> => {
        const one = await bench.profiled(target, () => beside(bench, target, small, large));
        seen.set(target.name, [...(seen.get(target.name) ?? []), one]);
        return one.slice;
      };
      for (let round = 0; round < options.rounds; round += 1)
        for (const [index, target] of targets.entries())
          raw[index]?.pairs.push({ reference: await measure(reference), slice: await measure(target) });
      const extra: Record<string, Record<string, number>> = {};
      for (const [name, all] of seen) {
        const of = (read: (one: Seen) => number) => median(all.map(read));
        extra[name] = {
          "p99 alone": of(({ alone }) => alone.latency.p99),
          "p99 x alone": of(({ slice, alone }) => slice.latency.p99 / alone.latency.p99),
          "large/s": of(({ slice }) => (slice.groups[1]?.requests ?? 0) / slice.seconds),
          "peak MB over idle": of(({ peakMb }) => peakMb),
          "peak x in flight": of(({ peakMb }) => peakMb / (connections * megabytes)),
        };
      }
      return { unit: "request", figures: [figuresOfReference(raw), ...raw.map(figuresOf)], extra, raw, notes: [] };
    },
  };
}

interface Seen {
  alone: Slice;
  slice: Slice;
  peakMb: number;
}

async function beside({ ground }: Bench, target: Running, small: Shape, large: Shape): Promise<Seen> {
  const alone = await runSlice(ground, target, [small], "request");
  const pids = target.pids();
  const idle = pids.reduce((sum, pid) => sum + memoryOf(pid).now, 0);
  for (const pid of pids) forgetPeak(pid);
  const slice = await runSlice(ground, target, [small, large], "request");
  const peakMb = pids.reduce((sum, pid) => sum + memoryOf(pid).peak, 0) - idle;
  return { alone, slice, peakMb };
}

export const bodyScenarios: Scenario[] = [bodies(1, 8), bodies(20, 2)];
