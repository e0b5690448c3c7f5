// One soak: a warm gateway, the load with a sample every few seconds, then quiet, and what is left then.
import { setTimeout as sleep } from "node:timers/promises";
import { type Audit, audit } from "../../src/ledger/audit.ts";
import { cpuOf, ticksPerSecond } from "./processes.ts";
import { type Memory, sumByConstructor, type Sums } from "./soak-inspector.ts";
import { type Descriptors, descriptorsOf, keptThreadsOthers, type Open, openIn, rowsOf, tempFiles } from "./soak-leftovers.ts";
import { type Money, moneyOf } from "./soak-money.ts";
import { type Made, nothingMade, startLoad, warmUp } from "./soak-load.ts";
import type { SoakWorld } from "./soak-world.ts";

export interface Sample extends Memory, Open {
  seconds: number;
  calls: number;
  descriptors: Descriptors;
}

export interface Soak {
  samples: Sample[];
  /** Live objects that a call has at least one of, by kind; dear to count, so not in every sample. */
  live: { before: Record<string, number>; after: Record<string, number> };
  before: Sample;
  /** Once the load has ended and all was given back, or the wait for it timed out. */
  after: Sample;
  made: Made;
  seconds: number;
  /** Of one core, over the load. */
  cpuShare: number;
  rows: { before: Record<string, number>; after: Record<string, number> };
  audit: Audit;
  money: Money;
  tempFiles: string[];
  log: Record<string, unknown>[];
  /** Constructors that grew most between a third of the load and its end; empty unless asked for. */
  grown: string[];
}

export interface RunOptions {
  minutes: number;
  rate: number;
  compare?: boolean;
  /** Ends the load early; what is left is told anyway. */
  signal?: AbortSignal;
  print?: (line: string) => void;
}

/** Prototypes by name, as the gateway's global scope reaches them. */
const watched = {
  sockets: 'process.getBuiltinModule("net").Socket.prototype',
  requests: 'process.getBuiltinModule("http").IncomingMessage.prototype',
  replies: 'process.getBuiltinModule("http").ServerResponse.prototype',
  timers: "Object.getPrototypeOf(setTimeout(() => undefined, 0))",
  signals: "AbortSignal.prototype",
};
/** Idle connections to upstreams and to the database close within a minute; a job that an upstream keeps hanging ends within five. */
const quietMs = 330_000;

export async function runSoak(
  world: SoakWorld,
  { minutes, rate, compare = false, signal, print = () => undefined }: RunOptions,
): Promise<Soak> {
  let beganAt = performance.now();
  const seconds = () => (performance.now() - beganAt) / 1000;
  const samples: Sample[] = [];
  const rowsBefore = await rowsOf(world.db);
  let made = nothingMade();
  const sample = async () => {
    const taken = { seconds: seconds(), calls: made.calls, descriptors: descriptorsOf(world) };
    return { ...taken, ...(await world.inspector.memory()), ...(await openIn(world.db)) };
  };
  await warmUp(world);
  const liveBefore = await liveIn(world);
  const before = await sample();
  print(lineOf(before));
  beganAt = performance.now();
  const cpuBefore = cpuOf(world.pid);
  const endsAt = beganAt + minutes * 60_000;
  const load = startLoad({ ...world, rate, stopped: () => performance.now() > endsAt || signal?.aborted === true });
  ({ made } = load);
  const everyMs = Math.min(15_000, Math.max(1_000, (minutes * 60_000) / 100));
  let earlier: Sums | undefined;
  for (let dueAt = beganAt + everyMs; dueAt < endsAt && signal?.aborted !== true; dueAt += everyMs) {
    await sleep(Math.max(0, dueAt - performance.now()));
    samples.push(await sample());
    if (samples.length % 10 === 0) print(lineOf(samples.at(-1)!));
    if (compare && earlier === undefined && samples.length >= 34) earlier = sumByConstructor(await world.inspector.snapshot());
  }
  const stillOpen = setInterval(() => print(`still open: ${JSON.stringify(load.open())}`), 10_000);
  await load.ended;
  clearInterval(stillOpen);
  const cpuShare = (cpuOf(world.pid) - cpuBefore) / ticksPerSecond / seconds();
  const loadSeconds = seconds();
  const after = await quiet(sample, before, print);
  const grown = earlier === undefined ? [] : compared(earlier, sumByConstructor(await world.inspector.snapshot()));
  return {
    ...{ samples, before, after, made, cpuShare, grown, seconds: loadSeconds },
    live: { before: liveBefore, after: await liveIn(world) },
    rows: { before: rowsBefore, after: await rowsOf(world.db) },
    audit: await audit(world.db),
    money: await moneyOf(world.db, world.bills),
    tempFiles: tempFiles(world),
    log: world.log(),
  };
}

export type Watched = keyof typeof watched;

/** Counts them after a collection: a walk through the whole heap for each kind. */
export async function liveIn({ inspector }: Pick<SoakWorld, "inspector">, names = Object.keys(watched) as Watched[]) {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = await inspector.count(watched[name]);
  return counts;
}

async function quiet(sample: () => Promise<Sample>, before: Sample, print: (line: string) => void): Promise<Sample> {
  for (const giveUpAt = performance.now() + quietMs; ;) {
    const now = await sample();
    const isQuiet = now.reservations + now.jobs === 0 && leftIn(before, now).length === 0;
    if (isQuiet || performance.now() > giveUpAt) return now;
    print(`waits for quiet: ${lineOf(now)}`);
    await sleep(5_000);
  }
}

/** A pool keeps what it once opened, 10; 2 listen (deploy/README.md); and one holds the lease of the embedded server (src/db/embedded.ts). */
const backendsMax = 13;

/** Descriptors that should be closed once all clients have gone. */
export function leftIn(before: Sample, { descriptors, backends }: Sample): string[] {
  const { clients, upstreams, files, others } = descriptors;
  return [
    ...(clients > 0 ? [`${clients} connections of clients are left`] : []),
    ...(upstreams > 0 ? [`${upstreams} connections to upstreams are left`] : []),
    ...(files > 0 ? [`${files} files are left open`] : []),
    ...(others > before.descriptors.others + keptThreadsOthers
      ? [`${before.descriptors.others} pipes and polls before, ${others} after`]
      : []),
    ...(backends > backendsMax ? [`${backends} connections to the database, ${backendsMax} at most`] : []),
  ];
}

function compared(earlier: Sums, later: Sums): string[] {
  return [...later]
    .map(([name, { count, bytes }]) => {
      const was = earlier.get(name) ?? { count: 0, bytes: 0 };
      return { name, count: count - was.count, bytes: bytes - was.bytes, of: count };
    })
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, 30)
    .map(({ name, count, bytes, of }) => `${(bytes / 1024).toFixed(0)} KB, ${count} more (${of}): ${name}`);
}

const mb = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

export function lineOf({ seconds, calls, heap, external, heapCommitted, malloced, resident, descriptors, ...open }: Sample): string {
  const memory = `heap ${mb(heap)} (of ${mb(heapCommitted)}) external ${mb(external)} v8 malloc ${mb(malloced)} rss ${mb(resident)} MB`;
  const fds = `fds ${descriptors.all} (clients ${descriptors.clients} upstreams ${descriptors.upstreams} files ${descriptors.files} others ${descriptors.others})`;
  return `${seconds.toFixed(0).padStart(5)} s ${calls} calls; ${memory}; ${fds}; reserved ${open.reservations} jobs ${open.jobs} backends ${open.backends}`;
}
