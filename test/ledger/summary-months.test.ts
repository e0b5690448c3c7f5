// SVC_USAGE_SUMMARY_MONTHS: of which months sums are kept, never fewer than the log has; and that the gateway deletes those before.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../../src/config.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { keepRolledUp } from "../../src/ledger/summary/roll-up.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 2 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const monthsOf = (summary?: string, log?: string) =>
  readConfig({
    ...(summary === undefined ? {} : { SVC_USAGE_SUMMARY_MONTHS: summary }),
    ...(log === undefined ? {} : { SVC_USAGE_LOG_MONTHS: log }),
  }).usageRollupMonths;

test.each<[says: string, summary: string | undefined, log: string | undefined, months: number]>([
  ["37 if nothing is set", undefined, undefined, 37],
  ["as many as are asked for", "20", undefined, 20],
  ["at least those of the log", "2", undefined, 13],
  ["at least those of a longer log", undefined, "60", 60],
  ["all, for 0", "0", "3", 0],
  ["all, if all of the log is kept", "3", "0", 0],
])("%s: %s, and %s of the log, give %i", (_, summary, log, months) => expect(monthsOf(summary, log)).toBe(months));

test.each(["-1", "1201", "1.5", "many"])("%s months are refused", (months) => {
  expect(() => monthsOf(months)).toThrow("SVC_USAGE_SUMMARY_MONTHS");
});

const thisMonth = "date_trunc('month', now() at time zone 'utc')";

/** How many months ago the sums are that a round of the gateway leaves. */
async function kept(months: number): Promise<number[]> {
  await db.pool.query("delete from usage_rollup; delete from usage_total");
  const starts = `select ${thisMonth} - make_interval(months => m) from unnest(array[50, 21, 20, 0]) m`;
  const figures =
    "requests, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency, first_byte";
  await db.pool.query(
    `insert into usage_rollup (account_id, span, starts_at, tag_hash, model, key_id, operation, failed, route, ${figures})
     select 1, 1440, at at time zone 'utc', usage_tag_hash(null), 'm', 0, 'createImage', false, '', 1, 0, 0, 0, 0, 0, 1, 0, 0 from (${starts}) t(at);
     insert into usage_total (span, starts_at, model, operation, failed, route, unmatched, ${figures})
     select 1440, at at time zone 'utc', 'm', 'createImage', false, '', 0, 1, 0, 0, 0, 0, 0, 1, 0, 0 from (${starts}) t(at)`,
  );
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const keeper = keepRolledUp(db, { months, onFault: (error) => expect.fail(String(error)) });
    vi.advanceTimersByTime(60_000);
    await keeper.stop(); // waits for the round
  } finally {
    vi.useRealTimers();
  }
  const ago = `age(${thisMonth}, starts_at at time zone 'utc')`;
  const read = async (table: string) => {
    const { rows } = await db.pool.query<{ months: number }>(
      `select (extract(year from ${ago}) * 12 + extract(month from ${ago}))::int as months from ${table} order by 1`,
    );
    return rows.map((row) => row.months);
  };
  const own = await read("usage_rollup");
  expect(await read("usage_total")).toEqual(own);
  return own;
}

test("a round of the gateway deletes what is older than that many whole months beside the current one; 0: nothing", async () => {
  expect(await kept(0)).toEqual([0, 20, 21, 50]);
  expect(await kept(monthsOf("20"))).toEqual([0, 20]);
  expect(await kept(monthsOf())).toEqual([0, 20, 21]);
});
