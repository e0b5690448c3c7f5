// Runs one scenario under load, and then compares: what clients saw, what the ledger has, what the operator's commands say, and how long it all
// took.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../support/eventually.ts";
import { askLedger, type Books, compareBooks, faultsOf } from "./books.ts";
import { type Call, type Load, startLoad } from "./client.ts";
import type { Name } from "./cluster.ts";
import type { Scenario } from "./scenarios.ts";
import type { World } from "./world.ts";

export interface Result {
  scenario: Scenario;
  books: Books;
  /** Seconds after the harm; null: the leader stayed. */
  newLeader: number | null;
  /** When the last call began that failed; null: none failed. */
  failingUntil: number | null;
  /** When the first call ended that began after it. */
  servedAgain: number | null;
  /** Of the calls that were served. */
  slowest: number;
  /** From the end of the load until nothing was held. */
  holdsGone: number;
  /** Of a scenario that loses some: posted by `svc ledger compare --post`. */
  posted: number;
  faults: string[];
}

const clients = 9;
/** Seconds; generous, since a busy machine is no fault. */
const bounds = { servedAgain: 75, holdsGone: 150 };
/**
 * Seconds from a new leader, or from the end of the harm, to the first good call, on a machine where a call takes what its provider takes. On a
 * busier one all that has to happen meanwhile takes longer, by as much as a call does, or by as many processes as want each of its cores.
 */
const afterReady = 3;
const quietCallMs = 200;
/** In the log of charges a gateway that is killed may lack its last lines. */
const unwrittenMs = 2_000;

/** Calls of this and of former scenarios whose line in the log of charges may be missing. */
export const unlogged = new Set<string>();

/** How often a gateway has logged that confirmed commits were missing. */
const lossesSaid = (world: World) => world.log().match(/the database has lost/g)?.length ?? 0;

export async function play(world: World, scenario: Scenario, number: number): Promise<Result> {
  const prefix = `run${number}-`;
  const lossesBefore = lossesSaid(world);
  await world.cluster.whole();
  const load = startLoad({ url: world.url, keys: world.keys, prefix }, clients);
  let [harmedAt, harmed] = [0, null as Name | null];
  let [leaderAt, mendedAt] = [null as number | null, null as number | null];
  await good(load);
  const crowding = watchCrowd();
  try {
    await scenario.run({
      world,
      harm: () => void (harmedAt = performance.now()),
      async newLeader(old) {
        const leader = await untilFound(async () => {
          const found = await world.cluster.leader();
          return found === old ? null : found;
        });
        leaderAt = performance.now();
        return leader;
      },
      mended: () => void (mendedAt = performance.now()),
      good: () => good(load),
      mayMissInLog: (name) => void (harmed = name),
    });
  } finally {
    await load.stop();
  }
  const stoppedAt = performance.now();
  const holdsGone = await untilNothingIsHeld(world, stoppedAt);
  await world.cluster.whole();
  const books = await compareBooks(world, prefix, load.calls);
  for (const requestId of [...books.named.map(({ requestId }) => requestId), ...lastCallsOf(world, load.calls, harmed, harmedAt)])
    unlogged.add(requestId);
  let posted = 0;
  const faults = [...books.faults];
  if (scenario.loses) {
    const first = await askLedger(world, "--post");
    posted = first.compare.posted;
    if (posted === 0) faults.push("nothing was lost: the scenario shows nothing");
    if (first.compare.refused.length > 0) faults.push(`not posted: ${JSON.stringify(first.compare.refused)}`);
    for (const { env } of Object.values(world.cluster.machines)) await world.svcWith(env, "ledger", "accept");
  } else {
    if (books.uncharged.length > 0) faults.push(`served and not charged: ${books.uncharged.join(", ")}`);
    if (lossesSaid(world) > lossesBefore) faults.push("a gateway found that the database had lost what it had confirmed");
  }
  const ledger = await askLedger(world);
  faults.push(...faultsOf(ledger, unlogged));
  if (scenario.loses) faults.push(...(await unpaid(world, books.uncharged)));

  const seconds = (at: number) => Math.round((at - harmedAt) / 100) / 10;
  const failed = load.calls.filter(({ served, startedAt, kind }) => !served && kind !== "image" && startedAt > harmedAt - 60_000);
  const lastFailure = failed.length === 0 ? null : Math.max(...failed.map(({ startedAt }) => startedAt));
  const after = load.calls.filter(({ served, startedAt }) => served && lastFailure !== null && startedAt > lastFailure);
  const servedAgain = after.length === 0 ? null : seconds(Math.min(...after.map(({ endedAt }) => endedAt)));
  const newLeader = leaderAt === null ? null : seconds(leaderAt);
  const result: Result = {
    ...{ scenario, books, newLeader, servedAgain, holdsGone, posted, faults },
    failingUntil: lastFailure === null ? null : Math.max(0, seconds(lastFailure)),
    slowest: slowestOf(load.calls),
  };
  const readyAt = leaderAt ?? mendedAt;
  const answers = load.calls.filter(({ served, kind, endedAt }) => served && kind !== "image" && endedAt > (readyAt ?? Infinity));
  const first = answers.length === 0 ? null : seconds(Math.min(...answers.map(({ endedAt }) => endedAt)));
  const crowd = crowding((readyAt ?? 0) - 1_000, Math.max(...[first, servedAgain].map((one) => harmedAt + (one ?? 0) * 1_000)));
  const within = Math.round(afterReady * Math.max(1, usualOf(load.calls) / quietCallMs, crowd) * 10) / 10;
  faults.push(...late(result, { ready: readyAt === null ? null : seconds(readyAt), first, within }));
  return result;
}

/** `ready`: the leader, new or mended. `first`: the first answer after it, of a call that may have waited all the time. */
interface Ready {
  ready: number | null;
  first: number | null;
  within: number;
}

function late({ servedAgain, holdsGone }: Result, { ready, first, within }: Ready): string[] {
  return [
    ...((servedAgain ?? 0) > bounds.servedAgain ? [`calls failed for ${servedAgain} s`] : []),
    ...(ready !== null && servedAgain !== null && servedAgain - ready > within
      ? [`calls failed until ${servedAgain} s, the leader was ready after ${ready} s: more than ${within} s between them`]
      : []),
    ...(ready !== null && (first === null || first - ready > within)
      ? [`the leader was ready after ${ready} s, and the first answer came after ${first} s: more than ${within} s between them`]
      : []),
    ...(holdsGone > bounds.holdsGone ? [`something was held for ${holdsGone} s`] : []),
  ];
}

export function good(load: Load): Promise<void> {
  const from = performance.now(); // what was good before the harm says nothing
  const isGood = () => {
    const { served, ms } = load.goodSince(from);
    return served >= 40 && ms > 4_000;
  };
  return until(isGood, "calls are good", 100_000);
}

async function untilFound<T>(find: () => Promise<T | null>): Promise<T> {
  let found: T | null = null;
  await until(async () => (found = await find()) !== null, "there is a new leader", 90_000);
  return found!;
}

export async function untilNothingIsHeld(world: World, from: number): Promise<number> {
  const held = `select (select count(*) from hold)::int + (select count(*) from media_job where completed_at is null)::int as n`;
  for (;;) {
    const [row] = await world.query<{ n: number }>(held);
    const seconds = Math.round((performance.now() - from) / 100) / 10;
    if (row!.n === 0 || seconds > bounds.holdsGone + 5) return seconds;
    await sleep(500);
  }
}

/** Of the gateway that was killed. A job may have ended at another than the one that took it. */
function lastCallsOf(world: World, calls: readonly Call[], killed: Name | null, harmedAt: number): string[] {
  if (killed === null) return [];
  const tries = world.tries();
  const last = calls.filter(({ startedAt, endedAt }) => startedAt < harmedAt + 1_000 && endedAt > harmedAt - unwrittenMs);
  const its = last.filter(({ requestId, kind }) => kind === "image" || tries.get(requestId)?.gateways.includes(killed) === true);
  return its.map(({ requestId }) => requestId);
}

/** Every answer that was served is paid for now, by the entry that `--post` made. */
async function unpaid(world: World, uncharged: readonly string[]): Promise<string[]> {
  const logged = new Map<string, string>();
  for (const line of world.readCharges()) logged.set(line.request_id, line.id);
  const ids = uncharged.map((requestId) => logged.get(requestId) ?? null);
  const rows = await world.query<{ id: string }>("select id from ledger_entry where kind = 'adjustment' and id = any($1::uuid[])", [
    ids.filter((id) => id !== null),
  ]);
  const paid = new Set(rows.map(({ id }) => id));
  const open = uncharged.filter((_, index) => ids[index] === null || !paid.has(ids[index]!));
  return open.length === 0 ? [] : [`served, lost and not in the log of charges: ${open.join(", ")}`];
}

/** How many processes wanted each core, on average, between two moments since it began. */
function watchCrowd(): (from: number, to: number) => number {
  const seen: { at: number; running: number }[] = [];
  const timer = setInterval(() => {
    const running = Number(readFileSync("/proc/loadavg", "utf8").split(" ")[3]!.split("/")[0]);
    seen.push({ at: performance.now(), running });
  }, 200);
  timer.unref();
  return (from, to) => {
    clearInterval(timer);
    const then = seen.filter(({ at }) => at >= from && at <= to);
    return then.reduce((sum, { running }) => sum + running, 0) / Math.max(1, then.length) / availableParallelism();
  };
}

/** Of whole chat calls that were served, what half of them took at most. */
function usualOf(calls: readonly Call[]): number {
  const times = calls.filter(({ served, kind }) => served && kind === "whole").map(({ startedAt, endedAt }) => endedAt - startedAt);
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

function slowestOf(calls: readonly Call[]): number {
  const times = calls.filter(({ served, kind }) => served && kind !== "image").map(({ startedAt, endedAt }) => endedAt - startedAt);
  return Math.round(Math.max(0, ...times) / 100) / 10;
}
