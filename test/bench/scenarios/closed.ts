// The scenarios that are one request, again and again, on so many connections: chats, streams, reads.
import { compare, figuresOf, figuresOfReference, runSlice, type Shape, type Unit } from "../measure.ts";
import type { Running } from "../targets/types.ts";
import { everyTarget, withoutPeers } from "./names.ts";
import { chat } from "./shapes.ts";
import type { Bench, Result, Scenario } from "./types.ts";
import { warmUp } from "./warm-up.ts";

/** `make`: the request, for a slice of so long. */
export async function runClosed(bench: Bench, targets: Running[], unit: Unit, make: (ms: number) => Shape): Promise<Result> {
  const { ground, options, reference } = bench;
  const run = (target: Running, ms: number) => runSlice(ground, target, [make(ms)], unit);
  for (const target of [reference, ...targets]) await warmUp(bench, target, make, { unit });
  const raw = await compare({ reference, targets, rounds: options.rounds }, (target) =>
    bench.profiled(target, () => run(target, options.sliceMs)),
  );
  return { unit, figures: [figuresOfReference(raw), ...raw.map(figuresOf)], extra: {}, raw, notes: [] };
}

function chats(connections: number): Scenario {
  return {
    name: `chat-${connections}`,
    title: `non-stream chat, ${connections} ${connections === 1 ? "connection" : "connections"}, upstream answers at once`,
    run: async (bench) =>
      runClosed(bench, await bench.targets(connections === 1 ? withoutPeers : everyTarget), "request", (ms) =>
        chat({ connections, loop: { kind: "closed", ms } }),
      ),
  };
}

function streams(connections: number): Scenario {
  return {
    name: `stream-${connections}`,
    title: `streams of 200 chunks at full speed, ${connections} connections`,
    run: async (bench) =>
      runClosed(bench, await bench.targets(everyTarget), "record", (ms) =>
        chat({ stream: true, connections, loop: { kind: "closed", ms } }),
      ),
  };
}

export const closedScenarios: Scenario[] = [...[1, 16, 64, 256].map(chats), streams(16)];
