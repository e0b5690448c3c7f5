// An upgrade of databases of earlier versions (golden/), with their data, while calls of those versions go on: nothing fails, and no money moves.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { describeSchema } from "../../src/db/describe-schema.ts";
import { migrate, readMigrations } from "../../src/db/migrate.ts";
import { ensureCurrentMonth } from "../../src/db/partitions.ts";
import { audit } from "../../src/ledger/audit.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { emptyDatabase, isMigrated, type TestDatabase } from "../support/database.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const folder = resolve(import.meta.dirname, "golden");

/** A file of golden/. */
interface Golden {
  file: string;
  sql: string;
  /** Of an account that pays, and that has open calls and a video that is being made. It is of nothing else. */
  key: string;
  account: number;
  keyId: number;
  /** What audit and verify of that version say. */
  accounts: number;
  chained: number;
  entries: number;
  /** How a gateway of that version settles: its function by its arguments of then. $1: the call, $2: what it held, $3: its cost. */
  settle: string;
  /** What the new version serves of it: a call that was charged, the video, and more. Null: not asked. */
  after: { request: string; video: { id: string; estimated_cost: number; status: string }; serves(gateway: Gateway): Promise<void> } | null;
}

/** Its row of the log is another call's, with an id of its own. */
const rowAs = (type: string) => `array[jsonb_populate_record(null::${type}, to_jsonb(l) || jsonb_build_object('id', $1::text,
    'request_id', 'req_' || replace($1::text, '-', ''), 'created_at', now(), 'cost', $3::bigint, 'reserved', $2::bigint, 'place', 1, 'total', $3::bigint))]`;
const fromLog = (account: number) =>
  `from (select * from usage_log where account_id = ${account} and cost > 0 order by created_at limit 1) l`;
const chargedTo = (account: number, key: number) =>
  `'{${account}}', array[$2::bigint], array[$3::bigint], '{${account}}', '{${key}}', array[$2::bigint], array[$3::bigint]`;

const first: Golden = {
  file: "0006.sql",
  // Its provider listened on a port that the system may give to another test's by now; nobody listens on this one.
  sql: readFileSync(resolve(folder, "0006.sql"), "utf8").replaceAll("127.0.0.1:42881", "127.0.0.1:9"),
  key: "svc_gCSTvzw3lqzUKiltI3KqzsZmluRZokKKcBaHJagXJsQ03M3Hso",
  ...{ account: 1, keyId: 1, accounts: 3, chained: 2, entries: 37 },
  settle: `select ledger_settle(${chargedTo(1, 1)}, ${rowAs("settled_call")}) ${fromLog(1)}`,
  after: {
    request: "req_edc08c6a9bee45e0b6244d4c4d96a9ee",
    video: { id: "vid_01a219ba2bd07220a0891f98cc20235c", estimated_cost: 2.88, status: "processing" },
    async serves(gateway) {
      const image = await gateway.request("GET", "/v1/jobs/job_01a219b9c7af764e9b2c9c556c867cba", { key: first.key });
      expect(image.json).toMatchObject({ status: "refunded", charged_amount: 0, refunded_amount: 0.027 });
    },
  },
};

/** What make.ts writes into the second line of its file. */
interface Facts {
  key: string;
  account: number;
  keyId: number;
  accounts: number;
  chained: number;
  entries: number;
}

function madeBy(file: string): Golden {
  const sql = readFileSync(resolve(folder, file), "utf8");
  const facts = JSON.parse(sql.split("\n")[1]!.slice("-- ".length)) as Facts;
  const { account, keyId } = facts;
  return {
    ...{ file, sql, ...facts },
    settle: `select ledger_settle(${chargedTo(account, keyId)}, ${rowAs("tagged_call")}, 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', now())
      ${fromLog(account)}`,
    after: null,
  };
}

const goldens: Golden[] = readdirSync(folder)
  .filter((file) => file.endsWith(".sql"))
  .map((file) => (file === first.file ? first : madeBy(file)));

let golden: Golden;
let database: TestDatabase;
let db: Db;

async function load(given: Golden): Promise<void> {
  golden = given;
  database = await emptyDatabase();
  // By a connection of its own: the dump sets what a pool's connections should not have.
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(golden.sql);
  await client.end();
  db = connect(database.url, { max: 4 });
  await ensureCurrentMonth(db, (error) => expect(error).toBeNull()); // as each start and each day of its gateway did
}
afterEach(async () => {
  await db.close();
  await database.drop();
});

// What a gateway of that version sends for a call: its functions by their names and arguments of then.

const held = 5_000;
const cost = 70;

async function reserve(id: string): Promise<bigint> {
  const { rows } = await db.pool.query<{ granted: bigint }>(
    `select granted from ledger_reserve($1, $4, array[$2]::uuid[], array[$3]::bigint[], array[$3]::bigint[], $5, array[null]::text[],
       array[null]::int[], array[null]::text[], array[null]::int[], '1 minute')`,
    [randomUUID(), id, held, [golden.account], [golden.keyId]],
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

const settle = (id: string) => db.pool.query(golden.settle, [id, held, cost]);

const balanceOf = async (account: number) => {
  const sql = "select available, reserved, spent from balance where account_id = $1";
  return (await db.pool.query<{ available: bigint; reserved: bigint; spent: bigint }>(sql, [account])).rows[0]!;
};

async function expectWholeLedger(more: number): Promise<void> {
  const { accounts, chained, entries } = golden;
  expect(await audit(db)).toMatchObject({ accounts, entries: entries + more, mismatches: [] });
  expect(await verifyChain(db)).toMatchObject({ accounts: chained, entries: entries + more, broken: null });
}

/** What it lacks; its number is that of the last one it has. */
const missingIn = ({ file }: Golden) =>
  readMigrations().map(({ name }) => name).filter((name) => name.slice(0, 4) > file.slice(0, 4)); // prettier-ignore

describe.each(goldens)("$file", (given) => {
  beforeEach(() => load(given));

  test("calls of the version before go on between and beside the migrations, each charged once; the ledger is whole, the schema the one of today", async () => {
    const before = await balanceOf(golden.account);
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

    const missing = missingIn(golden);
    expect(applied.slice(0, missing.length)).toEqual(missing);
    expect(charged).toBeGreaterThan(missing.length);
    const total = BigInt(cost * charged);
    expect(await balanceOf(golden.account)).toEqual({ ...before, available: before.available - total, spent: before.spent + total });
    await expectWholeLedger(charged);
    expect(await isMigrated(db)).toBe(true);
    expect(await describeSchema(db)).toBe(
      readFileSync(resolve(import.meta.dirname, "../../generated/schema.sql"), "utf8").replace(/^-- .*\n\n/, ""),
    );
  });

  test.skipIf(given.after === null)(
    "after it the new version serves the old accounts: keys, log, receipts and jobs, and releases what was left open",
    async () => {
      await migrate(db);
      const { key } = golden;
      const { request, video, serves } = golden.after!;
      // The upgrade is not weeks after the video was ordered, when the first sweep would end it.
      await db.pool.query("update media_job set started_at = now(), intent_at = now() where completed_at is null");
      const before = await balanceOf(golden.account);
      const gateway = await startGateway({ databaseUrl: database.url });
      try {
        const chat = { model: "north/chat-small", messages: [{ role: "user", content: "hello" }] };
        const answer = await gateway.request("POST", "/v1/chat/completions", { key, body: chat });
        expect(answer.status).toBe(200);
        const log = await gateway.request("GET", "/v1/auth/usage/logs?limit=100", { key });
        expect(log.status).toBe(200);
        const receipt = await gateway.request("GET", `/v1/usage/${request}`, { key });
        expect(receipt.json).toMatchObject({ object: "usage.receipt", request_id: request });
        // Calls were open, and their gateway is gone. A video was being made, and is asked for where it was ordered: its hold stays while it goes on.
        const made = async () => (await gateway.request("GET", `/v1/jobs/${video.id}`, { key })).json;
        const { status, estimated_cost } = video;
        await expect.poll(made).toMatchObject({ status, estimated_cost, charged_amount: null });
        await serves(gateway);
        const reservations = "select from hold where pool is distinct from 'escrow' and id <> all($1)";
        const ofJobs = (await db.pool.query<{ id: string }>("select id from media_job where completed_at is null")).rows.map(
          ({ id }) => id,
        );
        await expect.poll(async () => (await db.pool.query(reservations, [ofJobs])).rowCount).toBe(0);
        const after = await balanceOf(golden.account);
        const charge = before.available + before.reserved - after.available - after.reserved;
        expect(charge).toBeGreaterThan(0n);
        expect(after.spent - before.spent).toBe(charge);
        expect((await gateway.audit()).mismatches).toEqual([]);
        expect((await verifyChain(db)).broken).toBeNull();
      } finally {
        await gateway.stop();
      }
    },
  );
});
