// Sums of the usage log are exact to the unit, whatever of it is in the rollups: while calls settle, for rows that come late, for a settlement
// that is held open, in any time zone, and after a rebuild.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db, inSnapshot } from "../../src/db/connect.ts";
import { isBusy } from "../../src/db/transient-error.ts";
import { bucketsOf, type BucketName } from "../../src/ledger/summary/periods.ts";
import { readSummary, type Summary, type SummaryRow } from "../../src/ledger/summary/read-summary.ts";
import type { SummaryGroup } from "../../src/ledger/summary/summary-parts.ts";
import { forgetOld, rebuild, rollUp } from "../../src/ledger/summary/roll-up.ts";
import { percentilesOf } from "../../src/ledger/summary/show-summary.ts";
import { type Settlement, sendUsual, settleBatch } from "../../src/ledger/settlement.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeMonths } from "../support/log-months.ts";
import { rolledUp } from "../support/rolled-up.ts";
import { newCall } from "../support/usage-log-row.ts";
import { newAccount, newKey } from "./new-account.ts";
import { localRows, recount, sumOf } from "./recount.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 8 });
  await db.pool.query("select ensure_partitions('usage_log', 1)");
  await makeMonths(db, 14);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const minute = 60_000;
const usual = "10 minutes 10 seconds";
const ago = (ms: number) => new Date(Date.now() - ms);
const never = (error: unknown) => expect.fail(String(error));
/** Sent again, as the batcher does it, where the balance was locked for a second. */
const settle = (...calls: Settlement[]): Promise<unknown> =>
  settleBatch(db, calls, { onFault: never }).catch((error: unknown) => (isBusy(error) ? settle(...calls) : Promise.reject(error)));

interface Asked {
  from?: Date;
  to?: Date;
  bucket?: BucketName;
  timezone?: string;
  groups?: SummaryGroup[];
}

async function summaryOf(
  accountId: bigint | null,
  { bucket = "day", timezone = "UTC", groups = [], ...asked }: Asked = {},
): Promise<Summary> {
  const span = { from: asked.from ?? ago(20 * 24 * 60 * minute), to: asked.to ?? new Date(Date.now() + minute) };
  const buckets = await bucketsOf(db, span, { bucket, timezone, most: 2000 });
  return inSnapshot(db, (snapshot) => readSummary(snapshot, { accountId, span, buckets: buckets!, groups, filter: {}, limit: 100_000 }));
}
const spent = async (accountId: bigint) =>
  (await db.pool.query<{ sum: bigint }>("select coalesce(-sum(amount), 0)::bigint as sum from ledger_entry where account_id = $1 and kind = 'usage'", [accountId])).rows[0]!.sum; // prettier-ignore
const stateOf = async () => (await db.pool.query<{ late: bigint; sums: bigint }>("select (select count(*) from usage_late) as late, (select count(*) from usage_rollup) as sums")).rows[0]!; // prettier-ignore

test("a call that settles long after its hour was summed up is counted at once, and once after the next round", async () => {
  const account = await newAccount(db, { deposit: 1_000_000n });
  await settle(newCall(account, 5n, ago(3 * 60 * minute)));
  await rolledUp(db, usual);
  await settle(newCall(account, 7n, ago(3 * 60 * minute)), newCall(account, 11n, ago(minute)));
  for (let round = 0; round < 3; round += 1) {
    const { total } = await summaryOf(account, { bucket: "hour" });
    expect([total.requests, total.cost]).toEqual([3n, 23n]);
    await rolledUp(db, usual);
  }
  expect((await stateOf()).late).toBe(0n);
});

test("what was charged at routes that name no cost is known apart from the rest: from the log, from its sums and from sums made again", async () => {
  const account = await newAccount(db, { deposit: 1_000_000n });
  const asked = (route: string, cost?: string) => ({ ...tried, route, ...(cost === undefined ? {} : { cost }) });
  await settle(
    newCall(account, 10n, ago(3 * 60 * minute), { attempts: [asked("a/x", "3")], expense: "3" }),
    newCall(account, 20n, ago(3 * 60 * minute), { attempts: [asked("b/y")] }),
    newCall(account, 5n, ago(3 * 60 * minute)), // a kept answer: nothing was asked
  );
  const figures = async () => {
    const { cost, expense, unmatched } = (await summaryOf(account)).total;
    return { cost, expense, unmatched };
  };
  expect(await figures()).toEqual({ cost: 35n, expense: 3n, unmatched: 20n });
  await rolledUp(db, usual);
  expect(await figures()).toEqual({ cost: 35n, expense: 3n, unmatched: 20n });
  // As a version left it that did not count this.
  await db.pool.query("update usage_rollup set unmatched = null where account_id = $1", [account]);
  expect(await figures()).toEqual({ cost: 35n, expense: 3n, unmatched: 20n });
  await settle(newCall(account, 40n, ago(3 * 60 * minute), { attempts: [asked("a/x", "2"), asked("b/y")], expense: "2" }));
  expect(await figures()).toEqual({ cost: 75n, expense: 5n, unmatched: 60n });
  await rolledUp(db, usual);
  expect(await figures()).toEqual({ cost: 75n, expense: 5n, unmatched: 60n });
  await rebuild(db, { settled: usual });
  expect(await figures()).toEqual({ cost: 75n, expense: 5n, unmatched: 60n });
});

const zones = "UTC Europe/Berlin Asia/Kolkata Asia/Kathmandu America/St_Johns America/Havana Africa/Cairo Pacific/Auckland".split(" ");

const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;
const below = (limit: number) => Math.floor(Math.random() * limit);
/** Of each kind another number, so that columns that are swapped show. */
const anyTokens = () => ({
  ...{ input_tokens: below(2_000), cache_read_tokens: below(900), cache_write_tokens: below(500) },
  ...{ output_tokens: 300 + below(700), reasoning_tokens: below(300) },
});
const tried = { model: "test/model", outcome: "ok", status: 200, latency_ms: 1 };
/** Of a route that names its cost, of one that doesn't, and of none. */
const charges = [
  { attempts: [{ ...tried, route: "a/x", cost: "77" }], expense: "77" },
  { attempts: [{ ...tried, route: "b/y" }], expense: null },
  { attempts: [], expense: null },
];

test("random calls over models, keys, statuses and time zones: every figure of the sums is the log's, and cost the ledger's, whatever is summed up already", async () => {
  const account = await newAccount(db, { deposit: 1_000_000_000n });
  const stranger = await newAccount(db, { deposit: 1_000_000_000n });
  const keys = [null, String(await newKey(db, account)), String(await newKey(db, account))];
  for (let round = 0; round < 6; round += 1) {
    const calls = Array.from({ length: 120 }, () => {
      const failed = Math.random() < 0.2;
      const age = any([minute, 60 * minute, 24 * 60 * minute, 400 * 24 * 60 * minute]) * Math.random();
      return newCall(account, failed ? 0n : BigInt(Math.floor(Math.random() * 1e6)), ago(age), {
        ...{ model: any(["a/one", "a/two", "b/three"]), key_id: any(keys), status: failed ? "failed" : any(["success", "aborted"]) },
        ...{ latency_ms: Math.floor(Math.random() ** 4 * 100_000), stream: Math.random() < 0.5, first_byte_ms: any([null, 3, 700]) },
        ...{ http_status: failed ? 503 : 200, ...anyTokens(), ...any(charges) },
      });
    });
    await settle(...calls.slice(0, 60), newCall(stranger, 1n, ago(minute)));
    if (round % 2 === 0) await rollUp(db, { settled: any(["10 minutes 10 seconds", "2 days"]) });
    await settle(...calls.slice(60));
    if (round === 4) await rebuild(db);
    const all = await summaryOf(account, { from: ago(420 * 24 * 60 * minute), bucket: "month" });
    expect(all.total.cost).toBe(await spent(account));
    for (const timezone of [any(zones), any(zones)]) {
      const bucket = any(["hour", "day", "month"] as const);
      const groups = any<SummaryGroup[]>([[], ["model"], ["key", "status"], ["model", "key", "status"]]);
      const span = {
        from: ago(any([90 * minute, 30 * 60 * minute, bucket === "hour" ? 1e9 : 4e10])),
        to: ago(any([-minute, 13 * minute])),
      };
      const summary = await summaryOf(account, { ...span, bucket, timezone, groups });
      expect(await localRows(db, summary, { bucket, timezone }), `${bucket} ${timezone} ${groups.join()}`).toEqual(
        await recount(db, account, { ...span, bucket, timezone, groups }),
      );
      if (summary.rows.length > 0) expect(summary.total).toMatchObject(sumOf(summary.rows));
      await checkPages({ ...span, bucket, timezone, groups: any<SummaryGroup[]>([["account"], ["key", "model"], ["account", "key"]]) });
    }
  }
  await checkPercentiles(account);
});

/** An operator's pages of all accounts, one after the other, are the whole, however many buckets each takes. */
async function checkPages({ from, to, bucket, timezone, groups }: Required<Asked>) {
  const span = { from, to };
  const buckets = (await bucketsOf(db, span, { bucket, timezone, most: 20_000 }))!;
  const asked = { accountId: null, span, buckets, groups, filter: {} };
  const whole = await readSummary(db, { ...asked, limit: 100_000 });
  if (whole.rows.length > 0) expect(whole.total).toMatchObject(sumOf(whole.rows));
  const limit = Math.max(1 + Math.floor(Math.random() * 5), Math.ceil(whole.rows.length / 8));
  const rows: SummaryRow[] = [];
  for (let hasMore = true; hasMore;) {
    const page = await readSummary(db, { ...asked, limit, after: rows.at(-1) });
    expect(page.total).toEqual(whole.total);
    hasMore = page.rows.length > limit;
    rows.push(...page.rows.slice(0, limit));
  }
  expect(rows).toEqual(whole.rows);
  const sums = { ...asked, buckets: (await bucketsOf(db, span, { bucket: "all", timezone, most: 1 }))! };
  const { rows: all } = await readSummary(db, { ...sums, limit: 100_000 });
  const dearest = await readSummary(db, { ...sums, byCost: true, limit });
  expect(dearest).toEqual({ total: whole.total, rows: all.toSorted((a, b) => Number(b.cost - a.cost)).slice(0, limit + 1) });
}

async function checkPercentiles(account: bigint) {
  const { total } = await summaryOf(account, { from: ago(420 * 24 * 60 * minute), bucket: "month" });
  const { rows } = await db.pool.query<Record<string, number>>(
    `select percentile_disc(0.5) within group (order by greatest(latency_ms, 1)) as p50, percentile_disc(0.95) within group (order by latency_ms) as p95,
       percentile_disc(0.95) within group (order by first_byte_ms) filter (where stream) as first from usage_log where account_id = $1`,
    [account],
  );
  const found = [...percentilesOf(total.latency, [0.5, 0.95]), ...percentilesOf(total.firstByte, [0.95])];
  for (const [index, exact] of [rows[0]!.p50!, rows[0]!.p95!, rows[0]!.first!].entries())
    expect(Math.abs(found[index]! - exact)).toBeLessThanOrEqual(exact * 0.05 + 0.5);
}

test("while calls settle and rounds run side by side, every answer is between two sums of the ledger, and the last one equal", async () => {
  const account = await newAccount(db, { deposit: 1_000_000_000n });
  let running = true;
  const call = () => newCall(account, BigInt(Math.ceil(Math.random() * 1000)), ago(Math.random() * 20 * minute));
  const settling = [1, 2].map(async () => {
    for (let n = 0; n < 60; n += 1) await settle(...Array.from({ length: 5 }, call));
  });
  const rolling = [1, 2].map(async () => {
    while (running) {
      await rollUp(db);
      await sleep(3);
    }
  });
  const reading = async () => {
    while (running) {
      const before = await spent(account);
      const { total, rows } = await summaryOf(account, { groups: ["model"] });
      const after = await spent(account);
      expect(total.cost >= before && total.cost <= after, `${before} ${total.cost} ${after}`).toBe(true);
      expect(rows.reduce((sum, row) => sum + row.cost, 0n)).toBe(total.cost);
    }
  };
  const read = reading();
  await Promise.all(settling).finally(() => (running = false));
  await Promise.all([...rolling, read]);
  const { total } = await summaryOf(account);
  expect([total.requests, total.cost]).toEqual([600n, await spent(account)]);
});

test("a settlement that is held open holds up the sums of its time, and is counted when it commits", async () => {
  const account = await newAccount(db, { deposit: 1_000_000n });
  const client = await db.pool.connect();
  const call = newCall(account, 13n, ago(9 * minute), { reserved: "50" });
  await db.pool.query("insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 50, $3, now() + interval '1 hour')", [
    ...[account, call.id, randomUUID()],
  ]);
  await client.query("begin");
  await sendUsual({ pool: client } as unknown as Db, [call]);
  const young = { settled: "8 minutes" }; // nothing older comes in the tests that follow
  await rollUp(db, young);
  await rollUp(db, young);
  const { rows: state } = await db.pool.query("select closed_until < $1 as waits from usage_rollup_state", [call.log.created_at]);
  expect(state).toEqual([{ waits: true }]);
  expect((await summaryOf(account)).total.requests).toBe(0n);
  await client.query("commit");
  client.release();
  expect((await summaryOf(account)).total.cost).toBe(13n);
  expect(await rolledUp(db, young.settled)).toBeGreaterThan(0);
  expect((await summaryOf(account)).total).toMatchObject({ requests: 1n, cost: 13n });
});

test("a round that finds another at work does nothing", async () => {
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query("select pg_advisory_xact_lock(7322009)");
  const account = await newAccount(db, { deposit: 1_000_000n });
  await settle(newCall(account, 5n, ago(minute)));
  expect(await rollUp(db, { settled: "8 minutes" })).toBe(0);
  await client.query("rollback");
  client.release();
  expect((await summaryOf(account)).total.cost).toBe(5n);
});

test("a rebuild makes the same sums from the log, keeps what is older than the log, and readers see the old ones until it is done", async () => {
  await rolledUp(db);
  const account = await newAccount(db);
  const old = ["2001-01-01T00:00:00Z", "2001-01-02T00:00:00Z"];
  await db.pool.query(
    `insert into usage_rollup select $1, 1440, '2001-01-01Z', usage_tag_hash(null), 'm', 0, 'createImage', false, '', null, 3, 0, 0, 0, 0, 0, 9, null, 0, 0`,
    [account],
  );
  const all = () =>
    db.pool.query("select * from usage_rollup order by account_id, span, starts_at, tag_hash, model, key_id, operation, failed, route");
  const { rows: before } = await all();
  expect(await rebuild(db, { settled: "0" })).toBeGreaterThan(500);
  expect((await all()).rows).toEqual(before);
  const kept = await summaryOf(account, { from: new Date(old[0]!), to: new Date(old[1]!) });
  expect([kept.total.requests, kept.total.cost]).toEqual([3n, 9n]);
  expect(await forgetOld(db, 0)).toBe(0);
  expect(await forgetOld(db, 37)).toBe(1);
});
