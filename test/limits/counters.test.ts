// The function that decides a batch, on a real Postgres: exact counts however many ask, all or nothing, corrections, minute edges.
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { connect, inTransaction } from "../../src/db/connect.ts";
import { type Counters, openCounters, type Take } from "../../src/limits/counters.ts";
import { minuteMs, usedOf, windowStartMs } from "../../src/limits/window.ts";
import { untilWaiting } from "../support/locks.ts";
import { awayFromMinuteEdge, countedDatabase, type CountedDatabase, take } from "./counted-database.ts";

let world: CountedDatabase;
let counters: Counters;
beforeAll(async () => {
  world = await countedDatabase();
  counters = world.open();
});
beforeEach(() => awayFromMinuteEdge());
afterEach(async () => void (await world.db.pool.query("truncate rate_window")));
afterAll(async () => {
  await world.close();
  expect(world.faults).toEqual([]);
});

/** In the same batcher: after earlier corrections. */
const used = async (of: Take) => usedOf((await counters.take([{ ...of, amount: 0, limit: null }])).first);
const passed = async (takes: Promise<{ refused: number | null }>[]) =>
  (await Promise.all(takes)).filter(({ refused }) => refused === null).length;

describe("a limit", () => {
  test.each([1, 4])("lets exactly so many of 1,000 through, over %i replicas", async (replicas) => {
    const all = Array.from({ length: replicas }, () => world.open());
    const asked = Array.from({ length: 1_000 }, (_, n) => all[n % replicas]!.take([take("rpm", 130)]));
    expect(await passed(asked)).toBe(130);
    expect(await world.windows("rpm")).toEqual([130]);
  });

  test("of 0 lets nothing through, none lets everything through", async () => {
    expect((await counters.take([take("blocked", 0)])).refused).toBe(0);
    expect(await passed(Array.from({ length: 50 }, () => counters.take([take("free", null)])))).toBe(50);
  });

  test("is of its account and its bucket alone", async () => {
    const asked = [1n, 2n].flatMap((account) =>
      ["rpm", "rpm:demo/x"].flatMap((bucket) => Array.from({ length: 20 }, () => counters.take([take(bucket, 5, 1, account)]))),
    );
    expect(await passed(asked)).toBe(20);
  });

  test("counts amounts: what fits into the rest is taken, what doesn't is not", async () => {
    const results = [];
    for (const amount of [60, 50, 40, 1]) results.push((await counters.take([take("tpm", 100, amount)])).refused);
    expect(results).toEqual([null, 0, null, 0]);
    expect(await world.windows("tpm")).toEqual([100]);
  });
});

describe("several limits", () => {
  test("are taken all or not at all, within one batch as well: what tpm refuses takes no rpm", async () => {
    const asked = Array.from({ length: 300 }, () => counters.take([take("rpm", 100), take("tpm", 70, 10), take("day", null)]));
    const decisions = await Promise.all(asked);
    expect(decisions.filter(({ refused }) => refused === null)).toHaveLength(7);
    expect(decisions.filter(({ refused }) => refused === 1)).toHaveLength(293);
    expect([await world.windows("rpm"), await world.windows("tpm"), await world.windows("day")]).toEqual([[7], [70], [7]]);
  });

  test("name the first that refused and the time until all of them pass", async () => {
    await counters.take([take("rpm", 100), take("tpm", 70, 60)]);
    await world.pass(60); // 60 tokens fade one a second
    const asked = await counters.take([take("rpm", 1), take("tpm", 70, 70)]);
    expect([asked.refused, asked.first.current, asked.first.previous]).toEqual([0, 0, 1]);
    // Room for both is there when the last minute is out of sight.
    expect(asked.waitMs).toBe(minuteMs - (asked.first.atMs % minuteMs));
    const alone = await counters.take([take("tpm", 70, 30)]);
    expect(alone.waitMs).toBe(Math.max(0, asked.waitMs - 40_000 - (alone.first.atMs - asked.first.atMs)));
  });
});

describe("the minute's edge", () => {
  test("gives no second burst: what was used in the last minute fades, and none of it is lost", async () => {
    await Promise.all(Array.from({ length: 60 }, () => counters.take([take("rpm", 60)])));
    await world.pass(60);
    const { first, refused } = await counters.take([take("rpm", 60)]);
    expect(first.previous).toBe(60);
    const fadedBySecond = Math.floor((first.atMs % minuteMs) / 1000);
    // The rest of this minute's room is what has faded, and not one more.
    const more = await passed(Array.from({ length: 60 }, () => counters.take([take("rpm", 60)])));
    expect(more + (refused === null ? 1 : 0)).toBeGreaterThanOrEqual(fadedBySecond);
    expect(more).toBeLessThanOrEqual(fadedBySecond + 2);
  });

  test("two minutes later nothing is left of it, and a sweep forgets it", async () => {
    await counters.take([take("rpm", 60), take("tpm", 100, 100)]);
    await world.pass(120);
    expect(await used(take("rpm", 60))).toBe(0);
    await world.pass(120);
    const { rows } = await world.db.pool.query<{ swept: bigint }>("select rate_sweep(10000) as swept");
    expect(rows[0]!.swept).toBe(2n); // the one that was just asked for is not old yet
    expect([await world.windows("rpm"), await world.windows("tpm")]).toEqual([[0], []]);
  });
});

describe("a minute that ends while a statement waits for its counts", () => {
  test("fails that batch with 40001, holding nothing; the batcher retries, in the new minute", async () => {
    const { db, url } = world;
    // clock_timestamp() of a schema that comes before pg_catalog.
    await db.pool.query(`create schema stopped; create table stopped.clock as select timestamptz '2026-11-21 12:00:59' as at;
      create function stopped.clock_timestamp() returns timestamptz language sql volatile as 'select at from stopped.clock'`);
    const stopped = new URL(url);
    stopped.searchParams.set("options", "-c search_path=stopped,pg_catalog,public");
    const own = connect(stopped.href, { max: 3 });
    const late = openCounters(own, (error) => world.faults.push(error));
    const rateTake = "select refused from rate_take('{7}', '{rpm}', '{60}', '{0}', '{1}', '{1}', '{1}', '{5}')";
    await own.pool.query(rateTake);
    const { alone, batched } = await inTransaction(db, async ({ pool }) => {
      await pool.query("select 1 from rate_window for update");
      const alone = own.pool.query(rateTake).catch((error: unknown) => error);
      const batched = late.take([take("rpm", 5)]);
      await untilWaiting(db, "rate_take", 2);
      await db.pool.query("update stopped.clock set at = '2026-11-21 12:01:00'");
      return { alone, batched };
    });
    expect(await alone).toMatchObject({ code: "40001" });
    expect(await batched).toMatchObject({ refused: null, first: { current: 1, previous: 1 } });
    await late.close();
    await own.close();
    await db.pool.query("drop schema stopped cascade");
  });
});

describe("a correction", () => {
  const given = (bucket: string, amount: number, startMs: number) => ({ ...take(bucket, null, -amount), startMs });

  test("gives back in the window that was taken from, also once it is the last one", async () => {
    const { first } = await counters.take([take("tpm", 100, 80)]);
    const startMs = windowStartMs(first.atMs, minuteMs);
    counters.correct([given("tpm", 30, startMs)]);
    expect(await used(take("tpm", 100))).toBe(50);
    await world.pass(60);
    counters.correct([given("tpm", 20, startMs - minuteMs)]);
    await counters.take([take("tpm", 1_000, 5)]);
    expect(await world.windows("tpm")).toEqual([5, 30]);
  });

  test("of a window that is gone is nothing, and never below 0", async () => {
    const { first } = await counters.take([take("tpm", 100, 10)]);
    const startMs = windowStartMs(first.atMs, minuteMs);
    counters.correct([given("tpm", 30, startMs), given("tpm", 5, startMs - 600_000)]);
    expect(await used(take("tpm", 100))).toBe(0);
    expect(await world.windows("tpm")).toEqual([0]);
  });

  test("upwards counts above the limit, in the current window", async () => {
    await counters.take([take("tpm", 100, 90)]);
    counters.correct([take("tpm", null, 200)]);
    expect(await used(take("tpm", 100))).toBe(290);
    expect((await counters.take([take("tpm", 100, 1)])).refused).toBe(0);
  });

  test("many at once beside takes, by several replicas, add up exactly", async () => {
    const replicas = [world.open(), world.open(), world.open()];
    await Promise.all(
      Array.from({ length: 900 }, async (_, n) => {
        const replica = replicas[n % 3]!;
        const { first } = await replica.take([take("rpm", null), take("tpm", null, 10)]);
        const startMs = windowStartMs(first.atMs, minuteMs);
        if (n % 3 === 0) replica.correct([given("rpm", 1, startMs), given("tpm", 10, startMs)]);
        if (n % 3 === 1) replica.correct([take("tpm", null, 5)]);
      }),
    );
    for (const replica of replicas) await replica.close();
    const sum = async (bucket: string) => (await world.windows(bucket)).reduce((all, n) => all + n, 0);
    expect([await sum("rpm"), await sum("tpm")]).toEqual([600, 600 * 10 + 300 * 5]);
  });
});

describe("a batch that is repeated after a transient error of the database", () => {
  test("decides its takes again and leaves out its corrections, so that nothing is given back twice", async () => {
    const { first } = await counters.take([take("tpm", 100, 80)]);
    const away = Object.assign(new Error("terminating connection"), { code: "57P01" });
    const query = vi.spyOn(pg.Pool.prototype, "query").mockImplementationOnce(() => Promise.reject(away));
    counters.correct([{ ...take("tpm", null, -80), startMs: windowStartMs(first.atMs, minuteMs) }]);
    const again = await counters.take([take("tpm", 100, 20)]).finally(() => query.mockRestore());
    expect(usedOf(again.first)).toBe(100);
  });

  test.each(["40001", "40P01", "53300", "25006", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"])(
    "brings its corrections again where surely nothing was done (%s)",
    async (code) => {
      await counters.take([take("tpm", 100, 10)]);
      const query = vi
        .spyOn(pg.Pool.prototype, "query")
        .mockImplementationOnce(() => Promise.reject(Object.assign(new Error(code), { code })));
      counters.correct([take("tpm", null, 50)]);
      const again = await counters.take([take("tpm", 100, 20)]).finally(() => query.mockRestore());
      expect(usedOf(again.first)).toBe(80);
    },
  );
});
