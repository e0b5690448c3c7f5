// Who was charged most in months, and what keys were, is read in the sums of weeks: few pages, however many days and callers there are.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import type { Bucket } from "../../src/ledger/summary/periods.ts";
import { readSummary, type Summary } from "../../src/ledger/summary/read-summary.ts";
import { rollUp } from "../../src/ledger/summary/roll-up.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type Explained, explainQueries } from "./explain-queries.ts";

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

/** Sums of days of so many callers, who asked so many models and spent `cost` on each. */
async function addUp({ callers, models, days, day, cost }: { callers: number; models: number; days: number; day: string; cost: string }) {
  await db.pool.query("truncate usage_rollup, usage_caller");
  await db.pool.query(
    `insert into usage_rollup select n, 1440, date_bin('1 day', now(), '2000-01-01 00:00Z') - (${day}) * interval '1 day', usage_tag_hash(null), 'm' || m, n, 'createChatCompletion',
       false, 'p/m', null, 1, 1, 0, 0, 1, 0, ${cost}, 1, 0, 10::numeric ^ 600 + n, 0 from generate_series(1, $1::int) n, generate_series(1, $2::int) d, generate_series(1, $3::int) m`,
    [callers, days, models],
  );
  await db.pool.query(
    "update usage_rollup_state set closed_until = now(), whole_since = '-infinity', callers_since = null, callers_until = null",
  );
  await rollUp(db);
  await db.pool.query("vacuum analyze usage_rollup, usage_caller");
}

const to = new Date();
const from = new Date(to.getTime() - 120 * 24 * 3_600_000);
const start = (at: Date): Bucket => ({ start: at, since: at });

interface Read {
  summary: Summary;
  explained: Explained[];
}

/** With the sums of weeks, and without them. */
async function bothOf(group: "account" | "key", asked: { buckets: Bucket[]; byCost?: boolean; limit: number }): Promise<[Read, Read]> {
  const read = () => readSummary(db, { accountId: null, span: { from, to }, groups: [group], filter: {}, ...asked });
  const both = async () => ({ summary: await read(), explained: await explainQueries(db, read) });
  const { rows } = await db.pool.query<{ until: Date }>("select callers_until as until from usage_rollup_state");
  const ofWeeks = await both();
  await db.pool.query("update usage_rollup_state set callers_until = null");
  const ofDays = await both();
  await db.pool.query("update usage_rollup_state set callers_until = $1", [rows[0]!.until]);
  return [ofWeeks, ofDays];
}

test("who was charged most in months is found in the first of each week, not by adding up all who called", async () => {
  await addUp({ callers: 1_000, models: 1, days: 20, day: "7 * d + n % 7", cost: "case when n <= 30 then 1000000 / n else 5 end" });
  for (const group of ["account", "key"] as const) {
    const [ofWeeks, ofDays] = await bothOf(group, { buckets: [start(from)], byCost: true, limit: 10 });
    expect(ofWeeks.summary).toEqual(ofDays.summary);
    expect(ofWeeks.summary.rows.map((row) => row.names[0])).toEqual(Array.from({ length: 11 }, (_, n) => `${n + 1}`));
    const [, found, figures] = ofWeeks.explained;
    // Some 30 of 1,000 may be among them; to look up all in each sum would take 30,000 pages.
    expect(found!.buffers, found!.text).toBeLessThan(1_000);
    expect(figures!.buffers, figures!.text).toBeLessThan(1_000);
  }
});

test("a page of keys of months adds up their weeks, not their days", async () => {
  await addUp({ callers: 100, models: 10, days: 140, day: "d", cost: "n" });
  const middle = new Date((from.getTime() + to.getTime()) / 2);
  const [ofWeeks, ofDays] = await bothOf("key", { buckets: [start(from), start(middle)], limit: 50 });
  expect(ofWeeks.summary).toEqual(ofDays.summary);
  expect(ofWeeks.summary.rows).toHaveLength(51);
  const [sums, all] = [ofWeeks.explained.at(-1)!, ofDays.explained.at(-1)!];
  expect(sums.buffers, sums.text).toBeLessThan(all.buffers / 5);
});
