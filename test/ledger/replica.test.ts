// Renewing long calls while they are settled: no deadlock. And when a process begins to sweep.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { keepHeartbeat } from "../../src/ledger/replica.ts";
import { ledgerTimes } from "../../src/ledger/times.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("holds that are renewed while they end, in another order: no deadlock", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const owner = randomUUID();
  const ids = [randomUUID(), randomUUID()];
  for (const id of ids)
    await db.pool.query(
      "insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $3, now() + interval '1 minute')",
      [accountId, id, owner],
    );
  const faults: unknown[] = [];
  await inTransaction(db, async ({ pool }) => {
    const end = (id: string) => pool.query("delete from hold where account_id = $1 and id = $2", [accountId, id]);
    await pool.query("select 1 from balance where account_id = $1 for no key update", [accountId]);
    await end(ids[1]!);
    const open = new Map(ids.map((id) => [id, { accountId, since: -Infinity }]));
    const heartbeat = await keepHeartbeat(db, owner, open, new Map(), (error) => faults.push(error), quickTimes);
    await untilWaiting(db, "update hold");
    await end(ids[0]!);
    void heartbeat.stop();
  });
  await expect.poll(async () => (await db.pool.query("select 1 from replica")).rowCount).toBe(0); // the round is over
  expect(faults).toEqual([]);
});

test("a process that has just started sweeps no others until all had the time for a heartbeat", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const [late, gone, owner] = [randomUUID(), randomUUID(), randomUUID()] as const;
  for (const id of [late, gone]) {
    await db.pool.query("insert into replica (id, seen_at) values ($1, now() - interval '20 seconds')", [id]);
    await db.pool.query(
      "insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $2, now() + interval '1 minute')",
      [accountId, id],
    );
  }
  const owners = async () => (await db.pool.query<{ owner: string }>("select owner from hold")).rows.map((row) => row.owner);
  const seen = async () =>
    Number((await db.pool.query("select extract(epoch from seen_at) as at from replica where id = $1", [owner])).rows[0].at);
  const heartbeat = await keepHeartbeat(db, owner, new Map(), new Map(), (error) => expect.fail(String(error)), quickTimes);
  const begun = await seen();
  await expect.poll(async () => (await seen()) - begun).toBeGreaterThan(1.7); // two rounds
  expect((await owners()).toSorted()).toEqual([late, gone].toSorted());
  await db.pool.query("update replica set seen_at = now() + interval '1 minute' where id = $1", [late]); // it has heartbeats from now on
  await expect.poll(owners).toEqual([late]);
  await heartbeat.stop();
});

test("a dead process's reservations come back within 15 s: it is dead after 9, and a round begins every 3 and waits for 2 at most", () => {
  const { deadAfterMs, beatMs, roundWaitMs } = ledgerTimes;
  expect(deadAfterMs + beatMs + roundWaitMs).toBeLessThanOrEqual(15_000);
});
