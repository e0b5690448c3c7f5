// The largest accounts and keys of a long time, and what keys were charged in months, read in the sums of weeks, are what adding up days gives, to the
// unit: while calls come late, sums are made again and old ones deleted.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db, inSnapshot, type Queries, withoutEffect } from "../../src/db/connect.ts";
import { bucketsOf, type Span } from "../../src/ledger/summary/periods.ts";
import { readSummary, type Summary } from "../../src/ledger/summary/read-summary.ts";
import { forgetOld, rebuild, rollUp } from "../../src/ledger/summary/roll-up.ts";
import type { SummaryQuestion } from "../../src/ledger/summary/summary-parts.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { eventually, until } from "../support/eventually.ts";
import { makeMonths } from "../support/log-months.ts";
import { rolledUp } from "../support/rolled-up.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  await makeMonths(db, 14);
  await calls(db, { count: 3_000, days: 400 });
  await rolledUp(db, usual);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const day = 24 * 60 * 60_000;
const usual = "10 minutes 10 seconds";
const ago = (days: number) => new Date(Date.now() - days * day);
const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;

/** Calls at random times, by 60 accounts of which few make most, or by one; of what is summed up they are late. A third was asked of a route that has a cost. */
async function calls({ pool }: Queries, { count, days, account = null }: { count: number; days: number; account?: number | null }) {
  await pool.query(
    `with made as (
       insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, status, http_status, cost, reserved, prices, attempts, expense, stream, latency_ms, output_tokens,
         input_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens)
       select account, now() - random() * $2::int * interval '1 day', gen_random_uuid(), 'req_' || n, nullif(account * 10 + n % 3, account * 10), 'createChatCompletion',
         'test/' || n % 4, case when n % 9 = 0 then 'failed' else 'success' end, 200, case when n % 9 = 0 then 0 else (10 ^ (random() * 4))::int end, 0, '{}',
         case when n % 3 = 0 then '[{"route":"a/x","cost":"2"}]'::jsonb when n % 3 = 1 then '[{"route":"b/y"}]' else '[]' end, case when n % 3 = 0 then 2 end, false, n % 900, n % 7 + n % 5,
         n % 11, n % 13, n % 17, n % 5
       from (select n, coalesce($3::int, (60 ^ random())::int) as account from generate_series(1, $1::int) n) who
       returning account_id, created_at, id
     ) insert into usage_late select account_id, created_at, id from made where created_at < (select closed_until from usage_rollup_state)`,
    [count, days, account],
  );
}

const weeks = async () => {
  const { rows } = await db.pool.query<{ count: number; since: Date; until: Date }>(
    "select (callers_until::date - callers_since::date) / 7 as count, callers_since as since, callers_until as until from usage_rollup_state",
  );
  return rows[0]!;
};

/** What a question gets with the sums of weeks is what it gets without them. */
async function same(asked: SummaryQuestion): Promise<Summary> {
  const found = await inSnapshot(db, (snapshot) => readSummary(snapshot, asked));
  const ofAll = await withoutEffect(db, async (snapshot) => {
    await snapshot.pool.query("update usage_rollup_state set callers_until = null");
    return readSummary(snapshot, asked);
  });
  expect(found, JSON.stringify(asked)).toEqual(ofAll);
  return found;
}

async function check(from: Date, to: Date): Promise<void> {
  const span = { from, to };
  const all = (await bucketsOf(db, span, { bucket: "all", timezone: "UTC", most: 1 }))!;
  for (const group of ["account", "key"] as const)
    for (const limit of [0, 5, 1_000])
      await same({ accountId: null, span, buckets: all, groups: [group], filter: {}, byCost: true, limit });
  await checkMonths(span);
}

/** Page after page. */
async function checkMonths(span: Span): Promise<void> {
  const timezone = any(["UTC", "Asia/Kolkata", "America/New_York"]);
  const buckets = (await bucketsOf(db, span, { bucket: "month", timezone, most: 20 }))!;
  const limit = any([100, 300, 1_000]);
  let after: SummaryQuestion["after"];
  for (let left = true; left;) {
    const { rows } = await same({ accountId: null, span, buckets, groups: ["key"], filter: {}, limit, after });
    left = rows.length > limit;
    if (left) after = { start: rows[limit - 1]!.start, names: rows[limit - 1]!.names };
  }
}

test("at random times: beside calls that come late, and after a rebuild", async () => {
  expect((await weeks()).count).toBeGreaterThan(50);
  for (let round = 0; round < 4; round += 1) {
    await calls(db, { count: 200, days: any([1, 20, 390]) });
    await check(ago(any([8, 30, 90, 200, 395]) + Math.random()), ago(any([-0.1, 0.01, 3, 7]) * Math.random()));
    if (round === 1) await rebuild(db, { settled: usual });
    else await rollUp(db, { settled: usual });
    await check(ago(any([30, 90, 395]) + Math.random()), ago(any([-0.1, 7]) * Math.random()));
  }
});

test("a late call that is committed while a step waits to add it counts in its week as well", async () => {
  const { pool } = db;
  await calls(db, { count: 1, days: 300 });
  const client = await pool.connect();
  await client.query("begin");
  await client.query("lock table usage_late in share mode");
  const step = rollUp(db, { settled: "0" });
  await eventually(async () => {
    const { rowCount } = await pool.query("select from pg_locks where relation = 'usage_late'::regclass and not granted");
    if (rowCount === 0) throw new Error("the step does not wait yet");
  });
  await calls({ pool: client }, { count: 9, days: 300, account: 61 });
  await client.query("commit");
  client.release();
  await step;
  await rolledUp(db, usual);
  await check(ago(390), ago(0));
});

test("the first week that is still whole is the first that is read, once old sums are deleted", async () => {
  const { since } = await weeks();
  expect(await forgetOld(db, 3)).toBeGreaterThan(1_000);
  expect((await weeks()).since.getTime()).toBeGreaterThan(since.getTime());
  await check(ago(390), ago(0));
  await rolledUp(db, usual);
  await check(ago(390), ago(0));
});

test("old sums that are deleted while a step adds a week are read no more, also once it has ended", async () => {
  const { pool } = db;
  const { since } = await weeks();
  const client = await pool.connect();
  await client.query("begin");
  await client.query("lock table usage_rollup in access exclusive mode");
  const step = pool.query("select usage_add_week()");
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await pool.query(waiting)).rowCount === 1, "the step waits");
  const deleting = forgetOld(db, 1);
  await until(async () => (await pool.query(waiting)).rowCount === 2, "the deletion waits");
  await client.query("rollback");
  client.release();
  await step;
  await deleting;
  expect((await weeks()).since.getTime()).toBeGreaterThan(since.getTime());
  await check(ago(390), ago(0));
});
