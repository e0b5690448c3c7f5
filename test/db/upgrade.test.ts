// An upgrade of a database of an earlier version (golden/), with its data, while calls of that version go on: nothing fails, and no money moves.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { describeSchema } from "../../src/db/describe-schema.ts";
import { isMigrated, migrate, readMigrations } from "../../src/db/migrate.ts";
import { ensureCurrentMonth } from "../../src/db/partitions.ts";
import { audit } from "../../src/ledger/audit.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway.ts";

const key = "svc_gCSTvzw3lqzUKiltI3KqzsZmluRZokKKcBaHJagXJsQ03M3Hso"; // of the first account in golden/0006.sql, and of nothing else

/** Its provider listened on a port that the system may give to another test's by now; nobody listens on this one. */
const golden = readFileSync(resolve(import.meta.dirname, "golden/0006.sql"), "utf8").replaceAll("127.0.0.1:42881", "127.0.0.1:9");

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await emptyDatabase();
  // By a connection of its own: the dump sets what a pool's connections should not have.
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(golden);
  await client.end();
  db = connect(database.url, { max: 4 });
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

// What a gateway of that version sends for a call: its functions by their names and arguments of then.

const held = 5_000;
const cost = 70;

async function reserve(id: string): Promise<bigint> {
  const { rows } = await db.pool.query<{ granted: bigint }>(
    `select granted from ledger_reserve($1, '{1}', array[$2]::uuid[], array[$3]::bigint[], array[$3]::bigint[], '{1}', array[null]::text[],
       array[null]::int[], array[null]::text[], array[null]::int[], '1 minute')`,
    [randomUUID(), id, held],
  );
  return rows[0]!.granted;
}

/** A lock that was not had within a second, or a deadlock: nothing was done, and a gateway sends it again. */
async function again<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!/^(?:55P03|40P01)$/.test((error as { code?: string }).code ?? "")) throw error;
    return again(send);
  }
}

/** Its row of the log is another call's, with an id of its own. */
async function settle(id: string): Promise<void> {
  await db.pool.query(
    `select ledger_settle('{1}', array[$2::bigint], array[$3::bigint], '{1}', '{1}', array[$2::bigint], array[$3::bigint], array[
       jsonb_populate_record(null::settled_call, to_jsonb(l) || jsonb_build_object('id', $1::text, 'request_id', 'req_' || replace($1::text, '-', ''),
         'created_at', now(), 'cost', $3::bigint, 'reserved', $2::bigint, 'place', 1, 'total', $3::bigint))])
     from (select * from usage_log where account_id = 1 and cost > 0 order by created_at limit 1) l`,
    [id, held, cost],
  );
}

const balanceOf = async (account: number) => {
  const sql = "select available, reserved, spent from balance where account_id = $1";
  return (await db.pool.query<{ available: bigint; reserved: bigint; spent: bigint }>(sql, [account])).rows[0]!;
};

async function expectWholeLedger(entries: number): Promise<void> {
  expect(await audit(db)).toMatchObject({ accounts: 3, entries, mismatches: [] });
  expect(await verifyChain(db)).toMatchObject({ accounts: 2, entries, broken: null });
}

test("calls of the version before go on between and beside the migrations, each charged once; the ledger is whole, the schema the one of today", async () => {
  const before = await balanceOf(1);
  let charged = 0;
  let isMigrating = true;
  const call = async () => {
    const id = randomUUID();
    expect(await again(() => reserve(id))).toBe(BigInt(held));
    return async () => {
      await again(() => settle(id));
      charged++;
    };
  };
  const beside = async () => {
    while (isMigrating) await (await call())();
  };
  const running = beside();
  let open = await call();
  const applied = await migrate(db, {
    // Held on the tables of one version, settled on those of the next.
    onApplied: async () => {
      await open();
      open = await call();
    },
  });
  isMigrating = false;
  await Promise.all([running, open()]);

  const missing = readMigrations().map(({ name }) => name).filter((name) => name > "0007"); // prettier-ignore
  expect(applied.slice(0, missing.length)).toEqual(missing);
  expect(charged).toBeGreaterThan(missing.length);
  const total = BigInt(cost * charged);
  expect(await balanceOf(1)).toEqual({ ...before, available: before.available - total, spent: before.spent + total });
  await expectWholeLedger(37 + charged);
  expect(await isMigrated(db)).toBe(true);
  expect(await describeSchema(db)).toBe(
    readFileSync(resolve(import.meta.dirname, "../../generated/schema.sql"), "utf8").replace(/^-- .*\n\n/, ""),
  );
});

test("after it the new version serves the old accounts: keys, log, receipts and jobs, and releases what was left open", async () => {
  await migrate(db);
  await ensureCurrentMonth(db, (error) => expect(error).toBeNull()); // as each start does
  const before = await balanceOf(1);
  const gateway = await startGateway({ databaseUrl: database.url });
  try {
    const chat = { model: "north/chat-small", messages: [{ role: "user", content: "hello" }] };
    const answer = await gateway.request("POST", "/v1/chat/completions", { key, body: chat });
    expect(answer.status).toBe(200);
    const log = await gateway.request("GET", "/v1/auth/usage/logs?limit=100", { key });
    expect(log.status).toBe(200);
    const refunded = "job_01a219b9c7af764e9b2c9c556c867cba";
    const image = await gateway.request("GET", `/v1/jobs/${refunded}`, { key });
    expect(image.json).toMatchObject({ status: "refunded", charged_amount: 0, refunded_amount: 0.027 });
    const receipt = await gateway.request("GET", "/v1/usage/req_edc08c6a9bee45e0b6244d4c4d96a9ee", { key });
    expect(receipt.json).toMatchObject({ object: "usage.receipt", request_id: "req_edc08c6a9bee45e0b6244d4c4d96a9ee" });
    // Four calls were open, and their gateway is gone. A video was being made, and is asked for where it was ordered: its hold stays.
    const video = await gateway.request("GET", "/v1/jobs/vid_01a219ba2bd07220a0891f98cc20235c", { key });
    expect(video.json).toMatchObject({ status: "processing", estimated_cost: 2.88, charged_amount: null });
    const reservations = "select from hold where pool is distinct from 'escrow'";
    await expect.poll(async () => (await db.pool.query(reservations)).rowCount, { timeout: 30_000 }).toBe(0);
    const after = await balanceOf(1);
    const charge = before.available + before.reserved - after.available - after.reserved;
    expect(charge).toBeGreaterThan(0n);
    expect(after.spent - before.spent).toBe(charge);
    expect((await gateway.audit()).mismatches).toEqual([]);
    expect((await verifyChain(db)).broken).toBeNull();
  } finally {
    await gateway.stop();
  }
}, 90_000);
