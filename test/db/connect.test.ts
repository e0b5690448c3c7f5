// Pools and the listening connection, on a real server.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isTransient } from "../../src/db/transient-error.ts";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { listen } from "../../src/db/listen.ts";
import { openDatabaseProxy } from "../robustness/database-proxy.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 3 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

describe("connect", () => {
  test("bigint is exact in both directions, alone and in arrays; other drivers' tables stay as they were", async () => {
    const big = 9_007_199_254_740_993n;
    const { rows } = await db.pool.query("select $1::bigint as one, $2::bigint[] as many, now() as at, sum(2::bigint)::bigint as total", [
      big,
      [big, null, -1n],
    ]);
    expect(rows[0]).toEqual({ one: big, many: [big, null, -1n], at: expect.any(Date), total: 2n });
    expect((await sql<{ n: bigint }>`select 5::bigint as n`.execute(db.kysely)).rows).toEqual([{ n: 5n }]);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    expect((await other.query("select 5::bigint as n")).rows).toEqual([{ n: "5" }]);
    await other.end();
  });

  test("json and jsonb are read as they were written, alone and in arrays, whatever keys were read before", async () => {
    const read = async (type: string, text: string) => {
      const query = `select $1::${type} as one, array[$1::${type}, null] as many`;
      return (await db.pool.query<{ one: unknown; many: unknown[] }>(query, [text])).rows[0];
    };
    for (const type of ["json", "jsonb"]) {
      const start = `{"${type}":1`;
      await read(type, `${start},"\\\\":1}`);
      for (const key of ['\\"', "\\n", "\\u006e"]) {
        const value = { [type]: 1, [JSON.parse(`"${key}"`) as string]: 5 };
        expect(await read(type, `${start},"${key}":5}`)).toEqual({ one: value, many: [value, null] });
      }
    }
  });

  test("a statement that runs too long is ended by the server, and the connection serves on", async () => {
    const hasty = connect(database.url, { max: 1, statementTimeoutMs: 50 });
    await expect(hasty.pool.query("select pg_sleep(20)")).rejects.toMatchObject({ code: "57014" });
    expect((await hasty.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await hasty.close();
  });

  test("a transaction that does nothing is ended by the server after 5 s, unless a pooler stands between", async () => {
    const show = async ({ pool }: Db) =>
      (await pool.query<{ idle: string }>("select current_setting('idle_in_transaction_session_timeout') as idle")).rows[0]!.idle;
    const pooled = connect(database.url, { max: 1, statementTimeoutMs: 0 });
    expect([await show(db), await show(pooled)]).toEqual(["5s", "0"]);
    await pooled.close();
  });

  test("a process that is held up for longer than it waits for the database reads the answers that came meanwhile", async () => {
    const own = connect(database.url, { max: 3, silenceMs: 300 });
    try {
      await Promise.all([1, 2, 3].map(() => own.pool.query("select pg_sleep(0.05)")));
      const answers = [1, 2, 3].map((n) => own.pool.query("select $1::int as n from pg_sleep(0.05)", [n]));
      await new Promise(setImmediate); // they are sent
      for (const end = performance.now() + 1_000; performance.now() < end;);
      expect((await Promise.all(answers)).map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    } finally {
      await own.close();
    }
  });

  test("a database that falls silent is away, whoever asks: alone, in a transaction, by the query builder; the pool serves on afterwards", async () => {
    const wire = await openDatabaseProxy(database.url);
    const own = connect(wire.url, { max: 3, silenceMs: 300 });
    const asked = [
      () => own.pool.query("select 1 as one"),
      () => inTransaction(own, ({ pool }) => pool.query("select 1 as one")),
      () => sql`select 1 as one`.execute(own.kysely),
    ];
    for (const ask of asked) expect((await ask()).rows).toEqual([{ one: 1 }]);
    const failures = Promise.allSettled(
      asked.map((_ask, index) =>
        inTransaction(own, async ({ pool }) => {
          if (index === 0) wire.silence();
          await sleep(50);
          return pool.query("select 1 as one");
        }),
      ),
    );
    for (const outcome of await failures) expect(outcome).toMatchObject({ status: "rejected", reason: expect.toSatisfy(isTransient) });
    for (const ask of asked) expect(await ask().catch((error: unknown) => isTransient(error))).toBe(true);
    wire.restore();
    for (const ask of asked) expect((await ask()).rows).toEqual([{ one: 1 }]);
    await own.close();
    await wire.close();
  });

  test("a connection killed while idle is reported, not thrown, and replaced", async () => {
    const seen: Error[] = [];
    const own = connect(database.url, { max: 1, applicationName: "svc-test-idle", onIdleError: (error) => seen.push(error) });
    await own.pool.query("select 1");
    await db.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-test-idle'");
    await expect.poll(() => seen.length).toBe(1);
    expect((await own.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await own.close();
  });

  test("a connection killed between two queries of a transaction fails the next one alone, as a database that is away", async () => {
    const own = connect(database.url, { max: 1, applicationName: "svc-test-transaction" });
    const broken = inTransaction(own, async ({ pool }) => {
      await pool.query("select 1");
      await db.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-test-transaction'");
      await sleep(200);
      await pool.query("select 1");
    });
    const error: unknown = await broken.catch((thrown: unknown) => thrown);
    expect(isTransient(error), String(error)).toBe(true);
    expect((await own.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await own.close();
  });
});

describe("listen", () => {
  test("hears every channel, and after a broken connection says so before it hears again", async () => {
    const heard: string[] = [];
    let beginnings = 0;
    const ear = await listen(
      database.url,
      ["first", "second channel"],
      (channel, payload) => heard.push(`${channel}:${payload}`),
      () => beginnings++,
    );
    expect(ear.heardUntil).toBeGreaterThan(0);
    expect(beginnings).toBe(1);
    await db.pool.query(`select pg_notify('first', 'a'), pg_notify('second channel', 'b')`);
    await expect.poll(() => heard).toEqual(["first:a", "second channel:b"]);
    await db.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'svc-listen'",
    );
    await expect.poll(() => beginnings).toBe(2);
    await db.pool.query("notify first, 'c'");
    await expect.poll(() => heard.at(-1)).toBe("first:c");
    await ear.close();
    expect(ear.heardUntil).toBe(-Infinity);
  });

  test("says how far it has heard; a connection that carries nothing any more is found out, given up and replaced", async () => {
    const wire = await openDatabaseProxy(database.url);
    let beginnings = 0;
    const ear = await listen(
      wire.url,
      ["x"],
      () => undefined,
      () => beginnings++,
    );
    const start = performance.now();
    await expect.poll(() => ear.heardUntil).toBeGreaterThan(start);
    wire.silence();
    await expect.poll(() => ear.heardUntil).toBe(-Infinity);
    wire.restore();
    await expect.poll(() => beginnings).toBe(2);
    await ear.close();
    await wire.close();
  });

  test("a server that is away at first does not stop the start; it is found when it comes", async () => {
    const later = await freshDatabase();
    await later.drop();
    const ear = await listen(
      later.url,
      ["x"],
      () => undefined,
      () => undefined,
    );
    expect(ear.heardUntil).toBe(-Infinity);
    await db.pool.query(`create database ${new URL(later.url).pathname.slice(1)}`);
    await expect.poll(() => ear.heardUntil).toBeGreaterThan(0);
    await ear.close();
    await later.drop();
  });

  test("closing while it tries ends the trying", async () => {
    const ear = await listen(
      "postgres://nobody@127.0.0.1:1/none",
      ["x"],
      () => undefined,
      () => undefined,
    );
    await ear.close();
    await sleep(100);
    expect(ear.heardUntil).toBe(-Infinity);
  });
});

test("a gateway's connection prepares the statements it is given, once; others stay anonymous", async () => {
  const given = "select $1::int + 1 as next";
  const kept = { lifeMs: 60_000, warmUp: () => Promise.resolve(), prepared: [given] };
  const one = connect(database.url, { max: 1, kept });
  for (const n of [1, 2]) expect((await one.pool.query(given, [n])).rows).toEqual([{ next: n + 1 }]);
  await one.pool.query("select $1::int + 2 as next", [1]);
  expect((await one.pool.query("select statement from pg_prepared_statements")).rows).toEqual([{ statement: given }]);
  await one.close();
});
