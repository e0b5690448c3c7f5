// The moves of a job with their money, each function straight against Postgres.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { shippedTiers } from "../../src/catalog/tiers.ts";
import type { Catalog } from "../../src/catalog/types.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { readJob } from "../../src/jobs/read-jobs.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { limitMember, newAccount, newKey, newMember } from "../ledger/new-account.ts";
import { eventually } from "../support/eventually.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { entries, expectClean, finish, lease, rowOf, statuses, submit, tiers } from "./job-rows.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 12 });
});
afterEach(() => expectClean(db));
afterAll(() => db.close().then(() => database.drop()));

const available = async (accountId: bigint) =>
  (await db.pool.query<{ available: bigint }>("select available from balance where account_id = $1", [accountId])).rows[0]!.available;
const tidy = async (accountId: bigint) => db.pool.query("select media_tidy($1, $2, '60 min', '30 min')", [accountId, tiers]);
const readUntidy = () => db.pool.query<{ u: bigint }>("select u from media_untidy($1, '60 min', '30 min') u", [tiers]);
const untidy = async () => (await readUntidy()).rows.map(({ u }) => u);
const usd = 100_000_000n;

describe("submit", () => {
  test("a free slot: pending with its hold; busy slots: queued without one; a full queue: full", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const answers = [];
    for (let n = 0; n < 9; n++) answers.push(await submit(db, { accountId }));
    expect(answers.map(({ outcome }) => outcome)).toEqual([...Array(2).fill("pending"), ...Array(6).fill("queued"), "full"]);
    expect(answers[8]).toMatchObject({ waiting_max: 6 });
    expect(await available(accountId)).toBe(800n);
    expect(await entries(db, answers[0]!.id)).toEqual(["hold -100"]);
    expect(await entries(db, answers[2]!.id)).toEqual([]);
    expect(await rowOf(db, answers[0]!.id)).toMatchObject({ status: "pending", http_status: 202 });
    expect(await rowOf(db, answers[2]!.id)).toMatchObject({ status: "queued", http_status: 200, started_at: null, run_at: null });
  });

  test("too little money: balance, with what there is and what is held; nothing is written", async () => {
    const accountId = await newAccount(db, { deposit: 150n });
    await submit(db, { accountId });
    const refused = await submit(db, { accountId });
    expect(refused).toMatchObject({ outcome: "balance", available: 50n, reserved: 0n });
    expect(await statuses(db, accountId)).toEqual(["pending"]);
  });

  test("a key's budget counts holds and charges; a budget below what is spent still allows what costs nothing", async () => {
    const accountId = await newAccount(db, { deposit: 10n * usd });
    const keyId = await newKey(db, accountId, 150n);
    const one = await submit(db, { accountId, keyId });
    expect(await submit(db, { accountId, keyId })).toMatchObject({ outcome: "key", key_left: 50n });
    await finish(db, one.id, await lease(db, one.id), { charged: 40n });
    expect(await submit(db, { accountId, keyId })).toMatchObject({ outcome: "pending", key_left: 110n });
    await db.pool.query("update key_budget set limit_amount = 1 where key_id = $1", [keyId]);
    expect(await submit(db, { accountId, keyId, estimated: 0n })).toMatchObject({ outcome: "pending" });
  });

  test("a member's budget bounds the jobs of all keys that the member created, those that wait for a slot too", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const { keys, personId } = await newMember(db, accountId, 2);
    await limitMember(db, { accountId, personId }, { limit: 250n });
    const one = await submit(db, { accountId, keyId: keys[0]! });
    const ask = (estimated: bigint) => submit(db, { accountId, keyId: keys[1]!, estimated });
    const [refused, taken, waiting] = [await ask(151n), await ask(100n), await ask(100n)];
    expect([refused.outcome, refused.key_left, taken.outcome]).toEqual(["key", 150n, "pending"]);
    await finish(db, one.id, await lease(db, one.id), { charged: 100n });
    expect(await rowOf(db, waiting.id)).toMatchObject({ status: "failed", error_code: "insufficient_credits" });
  });

  test("a job that costs nothing holds nothing and ends like any other", async () => {
    const accountId = await newAccount(db);
    const { id } = await submit(db, { accountId, estimated: 0n });
    expect(await finish(db, id, await lease(db, id), { charged: 0n })).toBe(true);
    expect(await rowOf(db, id)).toMatchObject({ status: "succeeded", charged: 0n, refunded: null });
    expect(await entries(db, id)).toEqual([]);
  });

  test("one idempotency key in parallel makes one job; it is free 24 h after the end, and its own at another API", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const ask = { accountId, idempotencyKey: "k" };
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(db, ask)));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual([...Array(9).fill("known"), "pending"]);
    const { id } = answers[0]!;
    expect((await submit(db, { ...ask, api: "genmedia" })).outcome).toBe("pending");
    await finish(db, id, await lease(db, id), { charged: 100n });
    await db.pool.query("update media_job set completed_at = now() - interval '23 h 59 min' where id = $1", [id]);
    expect(await submit(db, ask)).toMatchObject({ outcome: "known", id });
    await db.pool.query("update media_job set completed_at = now() - interval '24 h 1 min' where id = $1", [id]);
    const next = await submit(db, ask);
    expect(next.outcome).toBe("pending");
    expect(next.id).not.toBe(id);
    expect(await rowOf(db, id)).toMatchObject({ idempotency_key: null });
  });

  test("a repeat with the same id returns the same and makes nothing new", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const ask = { accountId, id: randomUUID(), idempotencyKey: "again" };
    const [first, second] = [await submit(db, ask), await submit(db, ask)];
    expect([first.outcome, second.outcome]).toEqual(["pending", "pending"]);
    expect(await statuses(db, accountId)).toEqual(["pending"]);
    expect(await available(accountId)).toBe(900n);
  });

  test("the highest tier has one pool and one queue for both kinds, first come first served", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n * usd });
    const ids: string[] = [];
    for (let n = 0; n < 42; n++) ids.push((await submit(db, { accountId, kind: n % 2 === 0 ? "image" : "video" })).id);
    expect(await statuses(db, accountId)).toEqual([...Array(38).fill("pending"), ...Array(4).fill("queued")]);
    await finish(db, ids[1]!, await lease(db, ids[1]!), { code: "provider_error" });
    expect((await rowOf(db, ids[38]!))["status"]).toBe("pending"); // an image in the slot of a video
    expect((await rowOf(db, ids[39]!))["status"]).toBe("queued");
    for (let n = 42; n < 38 + 1 + 114; n++) expect((await submit(db, { accountId, kind: "video" })).outcome).toBe("queued");
    expect(await submit(db, { accountId })).toMatchObject({ outcome: "full", waiting_max: 114 });
  });

  test("below it each kind has its own: a full queue of images holds no video up", async () => {
    const accountId = await newAccount(db, { deposit: 5n * usd });
    for (let n = 0; n < 20; n++) await submit(db, { accountId });
    expect((await submit(db, { accountId })).outcome).toBe("full");
    expect((await submit(db, { accountId, kind: "video" })).outcome).toBe("pending");
  });

  test("queue positions are 1 to n without gaps, and decrease as slots are freed", async () => {
    const accountId = await newAccount(db, { deposit: 2_000n });
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push((await submit(db, { accountId })).id);
    const reading = { db, catalog: { tiers: shippedTiers } as Catalog };
    const positions = async () => {
      const jobs = await Promise.all(ids.map((id) => readJob(reading, { accountId, purchased: 0n, assignedTier: null }, id)));
      return jobs.map((job) => job?.queue_position);
    };
    expect(await positions()).toEqual([null, null, 1, 2, 3, 4, 5, 6]);
    await finish(db, ids[0]!, await lease(db, ids[0]!), { charged: 1n });
    expect((await rowOf(db, ids[2]!))["status"]).toBe("pending");
    expect(await positions()).toEqual([null, null, null, 1, 2, 3, 4, 5]);
  });
});

describe("promotion", () => {
  test("a deposit that raises the tier starts waiting jobs, at the next submit or sweep", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    for (let n = 0; n < 5; n++) await submit(db, { accountId });
    expect(await untidy()).not.toContain(accountId);
    await postEntry(db, { accountId, kind: "deposit", amount: 5n * usd, ref: "test", at: new Date() });
    expect(await untidy()).toContain(accountId);
    await tidy(accountId);
    expect(await statuses(db, accountId)).toEqual(Array(5).fill("pending"));
    expect(await untidy()).not.toContain(accountId);
  });

  test("money that is gone by then fails the job with insufficient_credits, and the next in line gets the slot", async () => {
    const accountId = await newAccount(db, { deposit: 250n });
    const first = await submit(db, { accountId });
    await submit(db, { accountId });
    const dear = await submit(db, { accountId, estimated: 5_000n });
    const cheap = await submit(db, { accountId, estimated: 120n });
    await finish(db, first.id, await lease(db, first.id), { charged: 30n });
    expect(await statuses(db, accountId)).toEqual(["succeeded", "pending", "failed", "pending"]);
    expect(await rowOf(db, dear.id)).toMatchObject({ error_code: "insufficient_credits", charged: null, refunded: null, started_at: null });
    expect(await entries(db, dear.id)).toEqual([]);
    expect(await entries(db, cheap.id)).toEqual(["hold -120"]);
    expect(await available(accountId)).toBe(0n);
  });

  test("money that a slice holds is asked back before a job fails for want of it: the job waits, and runs once it is there", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const [first] = [await submit(db, { accountId }), await submit(db, { accountId })];
    const waiting = await submit(db, { accountId, estimated: 500n });
    const slice = randomUUID();
    await db.pool.query(
      "insert into hold (account_id, id, amount, owner, expires_at, pool) values ($1, $2, 700, gen_random_uuid(), now() + interval '1 minute', 'escrow')",
      [accountId, slice],
    );
    const heard: (string | undefined)[] = [];
    const listener = await db.pool.connect();
    try {
      listener.on("notification", ({ payload }) => void heard.push(payload));
      await listener.query("listen escrow_recall");
      await finish(db, first.id, await lease(db, first.id), { charged: 0n });
      expect((await rowOf(db, waiting.id))["status"]).toBe("queued");
      await eventually(() => expect(heard).toEqual([String(accountId)]));
    } finally {
      listener.release(true);
    }
    expect(await untidy()).toContain(accountId);
    await db.pool.query("select escrow_close($1, $2, 0, true, '{}', '{}', '{}')", [accountId, slice]);
    await tidy(accountId);
    expect((await rowOf(db, waiting.id))["status"]).toBe("pending");
    expect(await entries(db, waiting.id)).toEqual(["hold -500"]);
  });
});

describe("end", () => {
  test("succeeded: the hold settles, the charge is made, the rest is free; a second finish and another's do nothing", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const { id } = await submit(db, { accountId });
    const owner = await lease(db, id);
    expect(await finish(db, id, randomUUID(), { charged: 60n })).toBe(false);
    expect(await finish(db, id, owner, { charged: 60n })).toBe(true);
    expect(await finish(db, id, owner, { charged: 60n })).toBe(false);
    expect(await finish(db, id, owner, { code: "provider_error" })).toBe(false);
    expect(await entries(db, id)).toEqual(["hold -100", "hold_settle 100", "usage -60"]);
    expect(await rowOf(db, id)).toMatchObject({
      status: "succeeded",
      charged: 60n,
      refunded: 40n,
      request: null,
      lease_owner: null,
      run_at: null,
    });
    expect(await available(accountId)).toBe(940n);
    const { rows } = await db.pool.query("select cost, reserved, status, units, unit, http_status from usage_log where id = $1", [id]);
    expect(rows).toEqual([{ cost: 60n, reserved: 100n, status: "success", units: "1", unit: "image", http_status: 202 }]);
  });

  test("failed: all of the hold comes back; watched on only where an upstream has a ticket", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const [one, two] = [await submit(db, { accountId }), await submit(db, { accountId })];
    await db.pool.query("update media_job set upstream = '{}' where id = $1", [two.id]);
    await finish(db, one.id, await lease(db, one.id), { code: "timeout", lateIn: "30 s" });
    await finish(db, two.id, await lease(db, two.id), { code: "timeout", lateIn: "30 s" });
    expect(await entries(db, one.id)).toEqual(["hold -100", "hold_release 100"]);
    expect(await rowOf(db, one.id)).toMatchObject({
      status: "failed",
      error_code: "timeout",
      error_word: "word",
      charged: null,
      refunded: 100n,
      late_at: null,
    });
    expect((await rowOf(db, two.id))["late_at"]).toBeInstanceOf(Date);
    expect(await available(accountId)).toBe(1_000n);
  });

  test("refunded: once, all of it, and only what succeeded", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const refund = async (id: string) => (await db.pool.query<{ r: string | null }>("select media_refund($1) as r", [id])).rows[0]!.r;
    const { id } = await submit(db, { accountId });
    expect(await refund(id)).toBe("pending");
    await finish(db, id, await lease(db, id), { charged: 60n });
    expect(await Promise.all([refund(id), refund(id)])).toEqual(expect.arrayContaining([null, "refunded"]));
    expect(await refund(randomUUID())).toBe("unknown");
    expect(await rowOf(db, id)).toMatchObject({ status: "refunded", charged: 0n, refunded: 100n });
    expect(await entries(db, id)).toEqual(["hold -100", "hold_settle 100", "usage -60", "refund 60"]);
    expect(await available(accountId)).toBe(1_000n);
  });

  test("expired: after an hour in the queue, with nothing to release; half an hour after the start without a runner", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const [left, run, waits] = [await submit(db, { accountId }), await submit(db, { accountId }), await submit(db, { accountId })];
    await lease(db, run.id);
    await db.pool.query("update media_job set started_at = now() - interval '31 min' where id = any($1)", [[left.id, run.id]]);
    await db.pool.query("alter table media_job disable trigger media_jobs_stay");
    await db.pool.query("update media_job set created_at = now() - interval '61 min' where id = $1", [waits.id]);
    await db.pool.query("alter table media_job enable trigger media_jobs_stay");
    expect(await untidy()).toContain(accountId);
    await tidy(accountId);
    expect(await statuses(db, accountId)).toEqual(["expired", "pending", "expired"]);
    expect(await rowOf(db, left.id)).toMatchObject({ error_code: "timeout", refunded: 100n, charged: null });
    expect(await rowOf(db, waits.id)).toMatchObject({ error_code: "timeout", refunded: 0n, charged: null });
    expect(await entries(db, left.id)).toEqual(["hold -100", "hold_release 100"]);
    expect(await entries(db, waits.id)).toEqual([]);
  });

  test("while one replica asks what to sweep, another gets nothing", async () => {
    const client = await db.pool.connect();
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(7322005)");
    expect(await untidy()).toEqual([]);
    await client.query("rollback");
    client.release();
  });
});

test("accounts that submit, finish, refund and sweep all at once never deadlock, and every unit adds up", async () => {
  const accountIds = [await newAccount(db, { deposit: 2_000n }), await newAccount(db, { deposit: 2_000n })];
  const worker = async (seed: number) => {
    for (let n = 0; n < 12; n++) {
      const accountId = accountIds[(seed + n) % 2]!;
      const { id, outcome } = await submit(db, { accountId, estimated: BigInt(50 + seed) });
      if (outcome === "pending")
        await finish(db, id, await lease(db, id), n % 3 === 0 ? { code: "provider_error" } : { charged: BigInt(n) });
      if (n % 4 === 0) await tidy(accountId);
      if (n % 5 === 0) await db.pool.query("select media_refund($1)", [id]);
      const { rows } = await db.pool.query<{ n: number }>(
        "select count(*)::int as n from media_job where account_id = $1 and status in ('pending', 'processing')",
        [accountId],
      );
      expect(rows[0]!.n).toBeLessThanOrEqual(2);
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, seed) => worker(seed)));
});
