// Which jobs a runner claims, and how long each has; and that none begins of an account that was suspended.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { claimJobs } from "../../src/jobs/claim.ts";
import { jobTimes } from "../../src/jobs/parts.ts";
import { newAccount } from "../ledger/new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { entries, expectClean, finish, lease, rowOf, submit } from "./job-rows.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 6 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Pending, each a second after the one before. */
async function pending(count: number, secondsAgo: number): Promise<string[]> {
  const accountId = await newAccount(db, { deposit: 100_000_000_000n });
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = await submit(db, { accountId });
    await db.pool.query("update media_job set run_at = now() - make_interval(secs => $2) where id = $1", [id, secondsAgo - n]);
    ids.push(id);
  }
  return ids;
}

const claimed = async (most: number, isShort: boolean) => {
  const jobs = await claimJobs({ db, owner: randomUUID(), times: jobTimes }, most, isShort);
  return new Set(jobs.map(({ id }) => id));
};

test("runners that claim at the same time share the jobs, and none is claimed twice", async () => {
  const accountId = await newAccount(db, { deposit: 100_000_000_000n });
  const ids = await Promise.all(Array.from({ length: 30 }, () => submit(db, { accountId })));
  const claims = await Promise.all([1, 2, 3, 4].map(() => claimed(10, false)));
  expect(claims.flatMap((ids) => [...ids]).sort()).toEqual(ids.map(({ id }) => id).sort());
  expect(await claimed(10, false)).toEqual(new Set());
  for (const { id } of ids) await finish(db, id, await lease(db, id), { charged: 1n });
  expect((await rowOf(db, ids[0]!.id))["status"]).toBe("succeeded");
  await expectClean(db);
});

test("the longest waiting first; where room is short, those of accounts with the fewest running", async () => {
  const many = await pending(8, 100);
  expect(await claimed(2, false)).toEqual(new Set(many.slice(0, 2)));
  const [few, one] = [await pending(3, 50), await pending(1, 20)];
  expect(await claimed(2, true)).toEqual(new Set([few[0], one[0]]));
  expect(await claimed(2, true)).toEqual(new Set([few[1], many[2]])); // the third of one account, the second of the other
  expect(await claimed(99, true)).toEqual(new Set([...few.slice(2), ...many.slice(3)]));
});

test("a job that waited for a runner has all its time; one whose route was asked has what is left", async () => {
  const [id] = await pending(1, 1);
  await db.pool.query("update media_job set started_at = now() - interval '10 min' where id = $1", [id]);
  const claim = async () => (await claimJobs({ db, owner: randomUUID(), times: jobTimes }, 1))[0];
  expect(await claim()).toMatchObject({ id, was_asked: false, age_ms: 0 });
  await db.pool.query("update media_job set intent_at = now() - interval '2 min', run_at = now() where id = $1", [id]);
  const taken = await claim();
  expect(taken).toMatchObject({ id, was_asked: true });
  expect(taken!.age_ms).toBeGreaterThanOrEqual(120_000);
});

test("of an account that was suspended meanwhile nothing begins: what waits fails with job_cancelled, free; what runs goes on", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const jobs = [];
  for (let n = 0; n < 4; n++) jobs.push(await submit(db, { accountId }));
  const [one, other, ...waiting] = jobs;
  await db.pool.query("update account set suspended_at = clock_timestamp() where id = $1", [accountId]);
  await finish(db, one!.id, await lease(db, one!.id), { charged: 100n });
  for (const { id } of waiting) {
    expect(await rowOf(db, id)).toMatchObject({ status: "failed", error_code: "job_cancelled", charged: null });
    expect(await entries(db, id)).toEqual([]);
  }
  expect(await finish(db, other!.id, await lease(db, other!.id), { charged: 100n })).toBe(true);
  const { rows } = await db.pool.query("select available from balance where account_id = $1", [accountId]);
  expect(rows).toEqual([{ available: 800n }]);
});
