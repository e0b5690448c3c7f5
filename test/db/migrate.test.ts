// Migrations and functions: what a new database gets, and what one in use gets.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { functionsVersion } from "../../generated/functions-version.ts";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { describeSchema } from "../../src/db/describe-schema.ts";
import { migrate, migrateWithin, readFunctions, readMigrations } from "../../src/db/migrate.ts";

import { emptyDatabase, freshDatabase, isMigrated, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";

const goldenFile = resolve(import.meta.dirname, "../../generated/schema.sql");

let database: TestDatabase;
let db: Db;

async function open(made: Promise<TestDatabase>): Promise<void> {
  database = await made;
  db = connect(database.url, { max: 4 });
}
afterEach(async () => {
  await db.close();
  await database.drop();
});

const allNames = [...readMigrations(), ...readFunctions()].map(({ name }) => name);

describe("an empty database", () => {
  beforeEach(() => open(emptyDatabase()));

  test("three at once apply all of it once; afterwards there is nothing to do", async () => {
    expect(await isMigrated(db)).toBe(false);
    const applied = await Promise.all([migrate(db), migrate(db), migrate(db)]);
    expect(applied.flat()).toEqual(allNames);
    expect(await isMigrated(db)).toBe(true);
    expect(await migrate(db)).toEqual([]);
  });

  test("one that was made before the first release is refused, as it is", async () => {
    await db.pool.query("create table kysely_migration (name text); insert into kysely_migration values ('0001-accounts')");
    expect(await isMigrated(db)).toBe(false);
    await expect(migrate(db)).rejects.toThrow(/made by a version before the first release .* empty database \(DATABASE_URL\)/);
    expect((await db.pool.query("select to_regclass('account') as account")).rows).toEqual([{ account: null }]);
  });

  test("a migration that fails is named and leaves nothing", async () => {
    await db.pool.query("create table account (id bigint)");
    await expect(migrate(db)).rejects.toThrow("migration 0001-schema failed");
    expect((await db.pool.query("select relname from pg_class where relnamespace = 'public'::regnamespace")).rows).toEqual([
      { relname: "account" },
    ]);
  });
});

describe("a database in use", () => {
  beforeEach(() => open(freshDatabase()));

  const textOf = async (name: string) =>
    (await db.pool.query<{ text: string }>("select prosrc as text from pg_proc where proname = $1", [name])).rows[0]!.text;
  /** As another version had it. */
  const change = async (version: number) => {
    await db.pool.query("create or replace function open_balance() returns trigger language plpgsql as 'begin return old; end'");
    await db.pool.query("update schema_function set hash = 'another', version = $1 where name = 'open_balance'", [version]);
  };

  test("a function whose text changed is loaded, and no other", async () => {
    const before = await textOf("open_balance");
    await change(functionsVersion - 1);
    expect(await isMigrated(db)).toBe(false);
    expect(await migrate(db)).toEqual(["open_balance"]);
    expect(await textOf("open_balance")).toBe(before);
    expect(await isMigrated(db)).toBe(true);
  });

  test("also between two builds of one version, as in development", async () => {
    await change(functionsVersion);
    expect(await migrate(db)).toEqual(["open_balance"]);
  });

  test("an older version that starts once more leaves the newer one's functions and migrations as they are", async () => {
    await change(functionsVersion + 1);
    await db.pool.query("insert into schema_migration (name) values ('9999-of-a-newer-version')");
    expect(await isMigrated(db)).toBe(true);
    expect(await migrate(db)).toEqual([]);
    expect(await textOf("open_balance")).toBe("begin return old; end");
  });

  test("functions that are the same are not loaded again, but count as of this version", async () => {
    await db.pool.query("update schema_function set version = 0");
    expect(await migrate(db)).toEqual([]);
    const { rows } = await db.pool.query("select distinct version from schema_function");
    expect(rows).toEqual([{ version: functionsVersion }]);
  });

  test("calls neither wait nor fail while their functions are replaced, also by statements that were prepared before", async () => {
    const client = await db.pool.connect();
    try {
      const call = { name: "settle", text: "select * from ledger_settle('{}', '{}', '[]')" };
      await client.query(call);
      await inTransaction(db, async ({ pool }) => {
        for (const { text } of readFunctions()) await pool.query(text);
        expect((await client.query(call)).rows).toEqual([]);
      });
      expect((await client.query(call)).rows).toEqual([]);
    } finally {
      client.release(true);
    }
  });

  test("Postgres finds no fault in a function's text, whatever the order in which they are loaded", async () => {
    await inTransaction(db, async ({ pool }) => {
      await pool.query("set local check_function_bodies = on");
      for (const { text } of readFunctions().toReversed()) await pool.query(text);
    });
  });

  test("generated/schema.sql is its schema, on this Postgres as on others", async () => {
    const golden = readFileSync(goldenFile, "utf8");
    expect(golden.replace(/^-- .*\n\n/, "")).toBe(await describeSchema(db));
  });

  test.each([
    ["usage_log", "ledger_entry"],
    ["ledger_entry", "usage_log"],
  ])("0003 locks its tables beside a call that holds %s and then needs %s, without a deadlock", async (held, needed) => {
    const { text } = readMigrations().find(({ name }) => name === "0003-money-back")!;
    const [locks] = /^do \$\$.*?^end \$\$;/ms.exec(text)!;
    const { migrating } = await inTransaction(db, async (call) => {
      await call.pool.query(`lock table ${held} in row exclusive mode`);
      const migrating = inTransaction(db, ({ pool }) => pool.query(locks));
      await untilWaiting(db, "lock table topup");
      await call.pool.query(`lock table ${needed} in row exclusive mode`);
      return { migrating };
    });
    await migrating;
  });

  test("partitions of the usage log meet at the first of the month in UTC, wherever the server thinks it is", async () => {
    const client = await db.pool.connect();
    await client.query("set timezone = 'America/Sao_Paulo'");
    await client.query("select ensure_partitions('usage_log', 14)");
    await client.query("set timezone = 'UTC'");
    const { rows } = await client.query<{ name: string; bounds: string }>(
      "select relname as name, pg_get_expr(relpartbound, oid) as bounds from pg_class where relispartition and relkind = 'r' and relname like 'usage_log_%'",
    );
    client.release(true);
    expect(rows.length).toBeGreaterThanOrEqual(15);
    for (const { name, bounds } of rows) expect(bounds).toContain(`FROM ('${name.slice(-7).replace("_", "-")}-01 00:00:00+00')`);
  });
});

describe("a database of an earlier version, in use", () => {
  beforeEach(() => open(emptyDatabase()));

  const names = readMigrations().map(({ name }) => name);
  /** With functions of before, of which one that a trigger runs has another text than today. */
  async function stopBefore(name: string): Promise<void> {
    await inTransaction(db, (transaction) => migrateWithin(transaction, new Set(names.filter((one) => one < name))));
    const loaded = readFunctions().filter(({ text }) => /\breturns trigger\b/.test(text));
    await db.pool.query("insert into schema_function (name, hash, version) select f, 'of before', 1 from unnest($1::text[]) f", [
      loaded.map((file) => file.name),
    ]);
  }
  const applied = async () =>
    (await db.pool.query<{ name: string }>("select name from schema_migration order by name")).rows.map((row) => row.name);

  test("each migration is its own transaction: one that fails leaves those before it, and the next start goes on from there", async () => {
    await stopBefore("0021");
    await db.pool.query("create table voucher_batch (id bigint)"); // in the way of 0022
    await expect(migrate(db)).rejects.toThrow("migration 0022-vouchers failed");
    expect(await applied()).toEqual(names.filter((name) => name < "0022"));
    expect(await isMigrated(db)).toBe(false);
    await db.pool.query("drop table voucher_batch");
    const rest = names.filter((name) => name >= "0022");
    expect((await migrate(db)).slice(0, rest.length)).toEqual(rest);
    expect(await isMigrated(db)).toBe(true);
    expect(await describeSchema(db)).toBe(readFileSync(goldenFile, "utf8").replace(/^-- .*\n\n/, ""));
  });

  test("three at once apply each migration once", async () => {
    await stopBefore("0021");
    const done = (await Promise.all([migrate(db), migrate(db), migrate(db)])).flat();
    const expected = [...names.filter((name) => name >= "0021"), ...readFunctions().map(({ name }) => name)];
    expect(done.sort()).toEqual(expected.sort());
  });

  test("a table that a long transaction holds is asked for again and again: calls that came meanwhile pass before it, and then it is had", async () => {
    await stopBefore("0023");
    const { migrating, calls } = await inTransaction(db, async (long) => {
      await long.pool.query("select from account");
      const migrating = migrate(db, { timeoutMs: 200, pauseMs: 50 });
      for (let n = 0; n < 3; n++) {
        await untilWaiting(db, "lock table account in access exclusive mode");
        await db.pool.query("select from account"); // waits behind it, and passes when it gives up
      }
      return { migrating, calls: await applied() };
    });
    expect(calls).toEqual(names.filter((name) => name < "0023"));
    expect((await migrating)[0]).toBe("0023-deleted-accounts");
    expect(await isMigrated(db)).toBe(true);
  });

  test("a table that never gets free ends it, with a reason; what came before is applied", async () => {
    await stopBefore("0021");
    await inTransaction(db, async (long) => {
      await long.pool.query("select from account"); // beside it 0021 gets its lock, which lets others read
      const failed = migrate(db, { timeoutMs: 100, pauseMs: 10, patienceMs: 500 });
      await expect(failed).rejects.toThrow("migration 0023-deleted-accounts was not applied: for 1 s something has held a table");
      expect(await applied()).toEqual(names.filter((name) => name < "0023"));
    });
  });

  test("a changed function of a trigger is loaded after the tables that its text names, not before", async () => {
    await stopBefore("0024");
    await db.pool.query("create or replace function recall_slices() returns trigger language plpgsql as 'begin return null; end'");
    await db.pool.query("create table member_budget (id bigint)");
    await expect(migrate(db)).rejects.toThrow("migration 0025-member-budgets failed");
    expect((await applied()).at(-1)).toBe("0024-auto-topup");
    const { rows } = await db.pool.query("select prosrc as text from pg_proc where proname = 'recall_slices'");
    expect(rows).toEqual([{ text: "begin return null; end" }]);
  });
});
