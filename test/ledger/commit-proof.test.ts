// A process's count of confirmed commits, while another process deletes old rows.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { keepHeartbeat, type Heartbeat } from "../../src/ledger/replica.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

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

const fail = (error: unknown, what: string) => expect.fail(`${what}: ${String(error)}`);
const day = 86_400_000;
const begin = (of: Db, owner: string) => keepHeartbeat(of, owner, new Map(), new Map(), fail);
/** As one that proved 100 commits. */
const age = (owner: string, by: string) =>
  db.pool.query("update commit_proof set at = at - $2::interval, count = 100 where replica = $1", [owner, by]);
const counts = async (owner: string) =>
  (await db.pool.query<{ count: bigint }>("select count from commit_proof where replica = $1", [owner])).rows.map(({ count }) => count);

/** Its heartbeat stops until it is released: a laptop that sleeps, a process that was stopped. `now`: when it fell asleep. */
function sleeper(now: Date) {
  const awake = Promise.withResolvers<void>();
  let sleeps = false;
  const asked = Promise.withResolvers<void>();
  const checks = Object.create(db.checks, { now: { value: () => now } }) as Db["checks"];
  const query = async (...given: [string, unknown[]]) => {
    if (sleeps) await awake.promise;
    const result = await db.pool.query(...given);
    if (sleeps && given[0].includes("database_identity")) asked.resolve();
    return result;
  };
  const its = { ...db, checks, pool: Object.assign(Object.create(db.pool) as Db["pool"], { query }) };
  return { db: its, sleep: () => void (sleeps = true), wake: awake.resolve, beaten: asked.promise };
}

test("a process that slept for days, whose row another start deleted, lost nothing: it takes calls and counts anew", async () => {
  const owner = randomUUID();
  const one = sleeper(new Date(Date.now() - 3 * day));
  const heartbeat: Heartbeat = await begin(one.db, owner);
  one.sleep();
  await age(owner, "3 days");
  await db.pool.query("delete from replica where id = $1", [owner]); // swept
  await (await begin(db, randomUUID())).stop();
  expect(await counts(owner)).toEqual([]);
  one.wake();
  await one.beaten;
  await expect.poll(() => counts(owner)).toEqual([1n]);
  expect(db.checks.refusal).toBeNull();
  await heartbeat.stop();
});

test("the row of a live process stays, however old the database's clock makes it", async () => {
  const owner = randomUUID();
  const heartbeat = await begin(db, owner);
  await age(owner, "3 days");
  await (await begin(db, randomUUID())).stop();
  expect(await counts(owner)).toHaveLength(1);
  await heartbeat.stop();
});
