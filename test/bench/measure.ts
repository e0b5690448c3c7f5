// One slice of load on one target, and what it cost; and slices of several targets in turn, each preceded by one of the
// reference, so that a ratio is of neighbours and the machine's mood falls out of it.
import type { Ground } from "./ground.ts";
import type { Durations } from "./load/histogram.ts";
import type { GroupResult, LoadGroup } from "./load/spec.ts";
import { cpuUsOf, median, memoryOf } from "./processes.ts";
import type { Running } from "./targets/types.ts";

/** What one request asks for, without where it goes. */
export type Shape = Omit<LoadGroup, "url" | "headers" | "lines"> & Partial<Pick<LoadGroup, "lines">>;

export interface Slice {
  target: string;
  /** Of the first group: what is measured. */
  requests: number;
  records: number;
  seconds: number;
  perSecond: number;
  /** Microseconds a unit (a request, or a record of a stream). */
  cpuUs: number;
  postgresUs: number;
  loadUs: number;
  mockUs: number;
  /** Share of one core that the target used. */
  busy: number;
  /** Milliseconds. */
  latency: Durations;
  firstByte: Durations;
  /** Of all its processes, MB, when it ended. */
  residentMb: number;
  groups: GroupResult[];
}

export type Unit = "request" | "record";

export async function runSlice(ground: Ground, target: Running, shapes: Shape[], unit: Unit): Promise<Slice> {
  const before = { cpu: cpuUsOfTarget(target), ...ground.cpu() };
  const groups = await ground.load(shapes.map((shape) => groupOf(target, shape)));
  const after = { cpu: cpuUsOfTarget(target), ...ground.cpu() };
  for (const { errors, firstError, requests } of groups)
    if (errors > 0 || requests === 0) throw new Error(`${target.name}: ${errors} of ${errors + requests} requests failed: ${firstError}`);
  const { requests, records, seconds, latency, firstByte } = groups[0] as GroupResult;
  const units = unit === "request" ? requests : records;
  return {
    target: target.name,
    requests,
    records,
    seconds,
    perSecond: requests / seconds,
    cpuUs: (after.cpu - before.cpu) / units,
    postgresUs: (after.postgres - before.postgres) / units,
    loadUs: (after.load - before.load) / units,
    mockUs: (after.mock - before.mock) / units,
    busy: (after.cpu - before.cpu) / (seconds * 1e6),
    latency,
    firstByte,
    residentMb: residentMbOf(target),
    groups,
  };
}

function groupOf(target: Running, shape: Shape): LoadGroup {
  const { url, headers, keys } = target;
  return { lines: keys.map((key) => `authorization: Bearer ${key}`), ...shape, url, headers, path: pathOf(target, shape) };
}

/** The mock tells targets apart by the first segment. */
function pathOf({ url }: Running, { path }: Shape): string {
  const { pathname } = new URL(url);
  return pathname === "/" ? path : pathname + path;
}

export function cpuUsOfTarget(target: Running): number {
  return target.pids().reduce((sum, pid) => sum + cpuUsOf(pid), 0);
}

export function residentMbOf(target: Running): number {
  return target.pids().reduce((sum, pid) => sum + memoryOf(pid).now, 0);
}

/** A slice and the reference's slice right before it. */
export interface Pair {
  slice: Slice;
  reference: Slice;
}

export interface Compared {
  target: string;
  pairs: Pair[];
}

/** Every round: the reference, a target, the reference, the next target, … */
export async function compare(
  work: { reference: Running; targets: Running[]; rounds: number },
  run: (target: Running) => Promise<Slice>,
): Promise<Compared[]> {
  const compared = work.targets.map(({ name }): Compared => ({ target: name, pairs: [] }));
  for (let round = 0; round < work.rounds; round += 1)
    for (const [index, target] of work.targets.entries()) {
      const reference = await run(work.reference);
      compared[index]?.pairs.push({ reference, slice: await run(target) });
    }
  return compared;
}

/** Medians over the rounds. */
export interface Figures {
  target: string;
  cpuUs: number;
  /** Of processor time to the reference's, of neighbours. */
  ratio: number;
  postgresUs: number;
  perSecond: number;
  busy: number;
  p50: number;
  p99: number;
  firstByteP50: number;
  /** Milliseconds over the reference's, of neighbours. */
  addedP50: number;
  addedP99: number;
  addedFirstByteP50: number;
  residentMb: number;
}

export function figuresOf({ target, pairs }: Compared): Figures {
  const of = (read: (slice: Slice) => number) => median(pairs.map(({ slice }) => read(slice)));
  const added = (read: (slice: Slice) => number) => median(pairs.map(({ slice, reference }) => read(slice) - read(reference)));
  return {
    target,
    cpuUs: of(({ cpuUs }) => cpuUs),
    ratio: median(pairs.map(({ slice, reference }) => slice.cpuUs / reference.cpuUs)),
    postgresUs: of(({ postgresUs }) => postgresUs),
    perSecond: of(({ perSecond }) => perSecond),
    busy: of(({ busy }) => busy),
    p50: of(({ latency }) => latency.p50),
    p99: of(({ latency }) => latency.p99),
    firstByteP50: of(({ firstByte }) => firstByte.p50),
    addedP50: added(({ latency }) => latency.p50),
    addedP99: added(({ latency }) => latency.p99),
    addedFirstByteP50: added(({ firstByte }) => firstByte.p50),
    residentMb: of(({ residentMb }) => residentMb),
  };
}

/** The reference's own row, of all of its slices. */
export function figuresOfReference(compared: Compared[]): Figures {
  const pairs = compared.flatMap((one) => one.pairs.map(({ reference }) => ({ reference, slice: reference })));
  return figuresOf({ target: "bare", pairs });
}
