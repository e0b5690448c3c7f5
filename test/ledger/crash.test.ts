// kill -9 of gateway processes and of Postgres, under load and with fsync on: no acknowledged charge is lost, none is
// double, every reservation is released, the audit is clean.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { newAccount, newKey } from "./new-account.ts";
import { sized } from "../support/size.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { startWorker, type Worker } from "./start-worker.ts";

let dataDir: string;
let embedded: Embedded;
let db: Db;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-crash-"));
  embedded = await startEmbedded({ dataDir, durable: true });
  db = connect(embedded.url, { max: 4 });
  await migrate(db);
});
afterAll(async () => {
  await db.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const cost = 100n;
const plenty = 1_000_000_000n;

describe("kill -9", () => {
  test("of a gateway process: its reservations and slots are given back, its acknowledged charges stand", async () => {
    const accountId = await newAccount(db, { deposit: plenty });
    const keyId = await newKey(db, accountId, plenty);
    const slot = { pool: "speech", poolMax: 64, group: "audio", groupMax: 64 };
    const survivor = await openLedger(db, (error) => expect.fail(String(error)));
    const busy = startWorker(embedded.url, { accountId, keyId, count: 1_000_000, cost, upstreamMs: 20 });
    const waiting = startWorker(embedded.url, { accountId, keyId, slot, count: 64, cost, upstreamMs: 600_000 }); // its 64 calls are at an upstream that never answers
    const slotsHeld = async () => (await db.pool.query("select 1 from hold where pool = 'speech'")).rowCount!; // without the busy process's
    await until(async () => busy.acknowledged.length > 500 && (await slotsHeld()) === 64);
    expect((await audit(db)).reservations_open).toBeGreaterThanOrEqual(64);
    const another = { accountId, keyId, slot, id: randomUUID(), want: 0n, least: 0n };
    expect(await survivor.reserve(another)).toMatchObject({ granted: null, refused: "slot" });
    for (const worker of [busy, waiting]) worker.kill();
    await Promise.all([busy.ended, waiting.ended]);
    await until(async () => (await audit(db)).reservations_open === 0);
    expect(await survivor.reserve(another)).toMatchObject({ granted: 0n, refused: null });
    await survivor.settle({ ...another, log: usageLogRow({ ...another, cost: 0n, at: new Date() }) });
    await expectCharged(accountId, [busy, waiting]);
    await survivor.close();
  });

  test("of Postgres, three times: every process carries on, nothing acknowledged is missing or double", async () => {
    const accountId = await newAccount(db, { deposit: plenty });
    const keyId = await newKey(db, accountId);
    const workers = [1, 2].map(() => startWorker(embedded.url, { accountId, keyId, count: sized(20_000, 8_000), cost }));
    await Promise.all(workers.map((worker) => worker.ready));
    for (let round = 0; round < 3; round += 1) {
      const before = workers[0]!.acknowledged.length;
      await until(() => workers[0]!.acknowledged.length > before + 500);
      embedded.kill9();
      await sleep(200);
    }
    await Promise.all(workers.map((worker) => worker.counts));
    await until(async () => (await quietly(() => audit(db)))?.reservations_open === 0);
    await expectCharged(accountId, workers);
  });
});

/** Each acknowledged charge is there once; what else is there was under way when its process died. */
async function expectCharged(accountId: bigint, workers: readonly Worker[]): Promise<void> {
  const acknowledged = workers.flatMap((worker) => worker.acknowledged);
  const { rows } = await db.pool.query<{ id: string; n: bigint }>(
    "select id, count(*) as n from ledger_entry where account_id = $1 and kind = 'usage' group by id",
    [accountId],
  );
  const charged = new Map(rows.map(({ id, n }) => [id, n]));
  expect(acknowledged.filter((id) => charged.get(id) !== 1n)).toEqual([]);
  expect(rows.length - acknowledged.length).toBeLessThanOrEqual(64 * workers.length);
  const balance = await readBalance(db, accountId);
  expect(balance).toMatchObject({ available: plenty - BigInt(rows.length) * cost, reserved: 0n, spent: BigInt(rows.length) * cost });
  expect((await audit(db)).mismatches).toEqual([]);
  expect((await verifyChain(db)).broken).toBeNull();
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50);
}

async function quietly<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch {
    return undefined; // Postgres is still coming back
  }
}
