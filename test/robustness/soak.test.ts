// The short form of `npm run bench:soak`: a mixed load whose clients disconnect at random moments, and nothing of it is left once they have gone.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { descriptorsOf, keptThreadsOthers, openIn, rowsOf, strayRows, tempFiles } from "../bench/soak-leftovers.ts";
import { moneyOf } from "../bench/soak-money.ts";
import { startLoad, warmUp } from "../bench/soak-load.ts";
import { liveIn, type Watched } from "../bench/soak-run.ts";
import { openSoakWorld, type SoakWorld } from "../bench/soak-world.ts";
import { auditAtRest } from "../support/audit.ts";
import { eventually, until } from "../support/eventually.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { oneInThree } from "../support/size.ts";

const calls = 160;
/** So few that a slow machine is slow, and not overloaded. */
const openMax = 24;
/** What an upstream leaves hanging, its client disconnects. */
const timeoutMs = 6_000;
const megabyte = 1024 * 1024;
/** Code that was compiled meanwhile and caches that fill are 5 MB; the bodies of these calls, kept, would be some 40. */
const keptMax = 20 * megabyte;
/** A timer of the pool's or of a keep-alive's may stand at either count; one that a call leaves would stand there some 160 times. */
const strayMax = 25;
const watched: Watched[] = ["requests", "timers"];

let database: TestDatabase;
let world: SoakWorld;
beforeAll(async () => {
  database = await freshDatabase();
  world = await openSoakWorld({ databaseUrl: database.url, folder: mkdtempSync(join(inject("runFolder"), "soak-")) });
});
afterAll(async () => {
  await world?.stop();
  await database?.drop();
});

oneInThree()(
  `${calls} mixed calls with clients that disconnect and upstreams that break leave no connection, file, hold, job, row, timer or request behind, and no account, model or route at a loss`,
  async () => {
    await warmUp(world, timeoutMs);
    const noneOpen = async () => {
      const { reservations, jobs } = await openIn(world.db);
      return reservations + jobs + descriptorsOf(world).clients === 0;
    };
    await until(noneOpen, "the warm-up has ended");
    const rowsBefore = await rowsOf(world.db);
    const memoryBefore = await world.inspector.memory();
    const liveBefore = await liveIn(world, watched);
    const descriptorsBefore = descriptorsOf(world);

    const load = startLoad({ ...world, rate: 40, timeoutMs, openMax, stopped: () => load.made.calls + load.open().length >= calls });
    await load.ended;
    await until(noneOpen, "all calls and jobs have ended");
    await world.simulator.close(); // what is still idle between them goes; what isn't would break, and is open above
    await until(() => descriptorsOf(world).upstreams === 0, "no connection to an upstream is left");

    expect(load.made.calls).toBeGreaterThanOrEqual(calls);
    expect(load.made.left).toBeGreaterThan(calls / 10);
    expect(load.made.byStatus[200]).toBeGreaterThan(calls / 5);
    expect(load.made.broken).toBe(0);
    expect(await auditAtRest(world.db)).toMatchObject({ mismatches: [], holds_open: 0, reservations_open: 0 });
    const { losses, broken, total } = await moneyOf(world.db, world.bills);
    expect([losses, broken]).toEqual([[], null]);
    expect(total.billed).toBeGreaterThan(0n);
    expect(strayRows(rowsBefore, await rowsOf(world.db))).toEqual([]);
    expect(tempFiles(world)).toEqual([]);
    const { files, others } = descriptorsOf(world);
    expect(files).toBe(0);
    expect(others).toBeLessThanOrEqual(descriptorsBefore.others + keptThreadsOthers);
    // Timers that end an upstream connection of a caller who disconnected run out within seconds.
    await eventually(async () => {
      const live = await liveIn(world, watched);
      expect(Object.entries(live).filter(([name, count]) => count > liveBefore[name]! + strayMax)).toEqual([]);
    }, 2_000);
    const memory = await world.inspector.memory();
    expect(memory.heap + memory.external - memoryBefore.heap - memoryBefore.external).toBeLessThan(keptMax);
  },
);
