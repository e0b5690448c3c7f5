// Which failures mean that the database is unavailable, so that callers go on waiting for it: names that don't resolve, hosts that can't be
// reached, a standby that a failover has left us with.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isTransient, isSurelyUndone } from "../../src/db/transient-error.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { createBatcher, openBatcherGauge } from "../../src/db/batcher.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { newAccount } from "../ledger/new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

const failed = (code: string) => Object.assign(new Error(code), { code });
const beforeAnything = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ENOENT", "25006", "57P03", "53100", "53200", "53300"];
const anyTime = ["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN", "ECONNRESET", "EPIPE", "ETIMEDOUT", "57P01", "08006"];

describe("a database is away", () => {
  test.each(beforeAnything)("with %s, and nothing was done", (code) => {
    expect([isTransient(failed(code)), isSurelyUndone(failed(code))]).toEqual([true, true]);
  });

  test.each(anyTime)("with %s, which may end a statement that was done", (code) => {
    expect([isTransient(failed(code)), isSurelyUndone(failed(code))]).toEqual([true, false]);
  });

  test.each(["23505", "25001", "42601", "EACCES", "XENOTFOUND"])("and not with %s", (code) => {
    expect([isTransient(failed(code)), isSurelyUndone(failed(code))]).toEqual([false, false]);
  });

  test.each([...beforeAnything, ...anyTime])("a batcher sends its batch again after %s", async (code) => {
    const seen: number[][] = [];
    const batcher = createBatcher<number, number>({
      waitingMax: 10,
      timeoutMs: 2_000,
      async work(items) {
        seen.push([...items]);
        if (seen.length === 1) throw failed(code);
        return items;
      },
    });
    expect(await Promise.all([batcher.run(1), batcher.run(2)])).toEqual([1, 2]);
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test("a host name that does not resolve is asked for again until the timeout", async () => {
    const nowhere = connect("postgres://nobody@nowhere.invalid/none", { max: 1 });
    let asked = 0;
    const batcher = createBatcher<number, number>({
      waitingMax: 10,
      timeoutMs: 300,
      async work(items) {
        asked += 1;
        await nowhere.pool.query("select 1");
        return items;
      },
    });
    const error: unknown = await batcher.run(1).catch((thrown: unknown) => thrown);
    expect(isTransient(error), String(error)).toBe(true);
    expect(asked).toBeGreaterThan(1);
    await nowhere.close();
  });
});

describe("a failover that leaves us with a server that only reads", () => {
  let database: TestDatabase;
  let db: Db;
  let admin: Db;
  beforeAll(async () => {
    database = await freshDatabase();
    db = connect(database.url, { max: 4 });
    const elsewhere = new URL(database.url);
    elsewhere.pathname = "/postgres";
    admin = connect(elsewhere.href, { max: 1 });
  });
  afterAll(async () => {
    await db.close();
    await admin.close();
    await database.drop();
  });

  test("a delivered answer is charged once there is one that writes", async () => {
    const name = new URL(database.url).pathname.slice(1);
    const failOver = async (readOnly: "on" | "off") => {
      await admin.pool.query(`alter database ${name} set default_transaction_read_only = ${readOnly}`);
      await admin.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    };
    const faults: unknown[] = [];
    const settling = openBatcherGauge();
    const watch = {
      admitting: openBatcherGauge(),
      reserving: openBatcherGauge(),
      settling,
      reserved: () => undefined,
      settled: () => undefined,
      unsettled: () => undefined,
      settledSlower: () => undefined,
    };
    const ledger = await openLedger(db, (error) => faults.push(error), watch);
    const accountId = await newAccount(db, { deposit: 10_000n });
    const call = { accountId, id: randomUUID(), want: 100n, least: 1n };
    await ledger.reserve(call);

    await failOver("on");
    const settled = ledger.settle({ ...call, log: usageLogRow({ ...call, cost: 10n, at: new Date() }) });
    settled.catch(() => undefined);
    await expect.poll(() => settling.items).toBeGreaterThan(2); // sent again, and refused again
    await failOver("off");
    expect(await settled).toBe(9_990n);
    expect(await readBalance(db, accountId)).toMatchObject({ available: 9_990n, reserved: 0n, spent: 10n });
    await ledger.close();
    for (const fault of faults) expect(isTransient(fault), String(fault)).toBe(true); // a heartbeat may have fallen into it
  });
});
