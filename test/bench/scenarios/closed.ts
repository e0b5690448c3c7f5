// The scenarios that are one request, again and again, on so many connections: chats, streams, reads.
import { compare, figuresOf, figuresOfReference, runSlice, type Shape, type Unit } from "../measure.ts";
import type { Running } from "../targets/types.ts";
import { everyTarget, peers, withoutPeers } from "./names.ts";
import { chat } from "./shapes.ts";
import type { Bench, Result, Scenario } from "./types.ts";
import { warmUp } from "./warm-up.ts";

/** `make`: the request, for a slice of so long. */
export async function runClosed(bench: Bench, targets: Running[], unit: Unit, make: (ms: number) => Shape): Promise<Result> {
  const { ground, options, reference } = bench;
  for (const target of [reference, ...targets]) await alone(target, targets, () => warmUp(bench, target, make, { unit }));
  const raw = await compare({ reference, targets, rounds: options.rounds }, (target) =>
    alone(target, targets, () => bench.profiled(target, () => runSlice(ground, target, [make(options.sliceMs)], unit))),
  );
  return { unit, figures: [figuresOfReference(raw), ...raw.map(figuresOf)], extra: {}, raw, notes: [] };
}

/** Peers stand still meanwhile. LiteLLM is never idle: beside it a request of the gateway cost twice as much. */
async function alone<T>(target: Running, targets: readonly Running[], work: () => Promise<T>): Promise<T> {
  const others = targets.filter(({ name }) => name !== target.name && peers.includes(name)).flatMap((other) => other.pids());
  for (const pid of others) process.kill(pid, "SIGSTOP");
  try {
    return await work();
  } finally {
    for (const pid of others) process.kill(pid, "SIGCONT");
  }
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
