// The operators' overview and summaries over all accounts are exact to the unit, whatever of the log is in the sums over all accounts already.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { readReport, type ReportRow, sumOf } from "../../src/ledger/report.ts";
import { type Settlement, settleBatch } from "../../src/ledger/settlement.ts";
import { bucketsOf, type Span } from "../../src/ledger/summary/periods.ts";
import { readSummary } from "../../src/ledger/summary/read-summary.ts";
import type { SummaryGroup } from "../../src/ledger/summary/summary-parts.ts";
import { rebuild } from "../../src/ledger/summary/roll-up.ts";
import { expenseOfAttempts, type UsageLogRow } from "../../src/ledger/usage-log.ts";
import { toUsd } from "../../src/money.ts";
import { readOverview, readRouteMoney } from "../../src/operators/overview.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeMonths } from "../support/log-months.ts";
import { rolledUp } from "../support/rolled-up.ts";
import { newCall } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  await makeMonths(db, 2);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const minute = 60_000;
const usual = "10 minutes 10 seconds";
const ago = (ms: number) => new Date(Date.now() - ms);
const settle = (...calls: Settlement[]) => settleBatch(db, calls, { onFault: (error) => expect.fail(String(error)) });

async function sumsBy(groups: SummaryGroup[], span: Span) {
  const buckets = (await bucketsOf(db, span, { bucket: "day", timezone: "UTC", most: 100 }))!;
  return readSummary(db, { accountId: null, span, buckets, groups, filter: {}, limit: 10_000 });
}

/** Of the routes that were asked, each once. */
function byName(rows: readonly ReportRow[]) {
  const named = Map.groupBy(rows, ({ name }) => name ?? "");
  return new Map([...named].filter(([name]) => name !== "").sort().map(([name, own]) => [name, sumOf(own)])); // prettier-ignore
}

/** What the log, and what of the ledger is beside it, say of all accounts. */
async function overviewOfLog(from: Date, to: Date) {
  const values = [from, to];
  const within = "created_at >= $1 and created_at < $2";
  const read = async (sql: string) => (await db.pool.query(sql, values)).rows as Record<string, unknown>[];
  const [sums] = await read(
    `select count(*)::int as calls, (count(*) filter (where status = 'failed'))::int as failed, count(distinct account_id)::int as active_accounts
     from usage_log where ${within}`,
  );
  const errors = await read(
    `select error_code as code, count(*)::int as calls from usage_log where ${within} and error_code is not null group by 1 order by 2 desc, 1 limit 20`,
  );
  const providers = await read(
    `select split_part(a ->> 'route', '/', 1) as provider, count(*)::int as attempts,
       (count(*) filter (where a ->> 'outcome' not in ('ok', 'rejected', 'refused')))::int as failures, (sum((a ->> 'cost')::bigint) / 1e8)::float8 as cost_usd
     from usage_log l, jsonb_array_elements(l.attempts) a
     where ${within} and a ->> 'outcome' not in ('breaker_open', 'aborted', 'gateway_error', 'local_overload') group by 1 order by 2 desc, 1`,
  );
  const { revenue, unmatched, cost, margin } = sumOf(await readReport(db, "day", { from, to }));
  const money = { revenue_usd: toUsd(revenue), revenue_without_cost_usd: toUsd(unmatched), cost_usd: cost === null ? null : toUsd(cost) };
  return { ...sums, ...money, margin_usd: margin === null ? null : toUsd(margin), errors, providers };
}

test("the operators' overview equals the log's and the ledger's sums over all accounts, whatever is summed up already", async () => {
  const accounts = await Promise.all(Array.from({ length: 5 }, () => newAccount(db, { deposit: 1_000_000_000n })));
  const any = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!;
  const attempt = () => ({
    ...{
      route: any(["east/a", "east/b", "west/c"]),
      model: "a/one",
      outcome: any(["ok", "ok", "rejected", "timeout", "aborted", "breaker_open"]),
    },
    ...{ status: 200, latency_ms: 5, ...any([{}, { cost: String(Math.floor(Math.random() * 1000)) }]) },
  });
  const call = () => {
    const attempts = Array.from({ length: any([0, 1, 1, 2]) }, attempt) as unknown as UsageLogRow["attempts"];
    const failed = Math.random() < 0.2;
    return newCall(
      any(accounts),
      failed ? 0n : BigInt(Math.floor(Math.random() * 1e6)),
      ago(any([60, 3_000, 30 * 24 * 60]) * minute * Math.random()),
      {
        ...{ attempts, expense: expenseOfAttempts(attempts), status: failed ? "failed" : "success", http_status: failed ? 503 : 200 },
        ...(failed ? { error_code: any(["provider_unavailable", "provider_timeout"]) } : {}),
      },
    );
  };
  await db.pool.query("update usage_rollup_state set whole_since = null, routes_since = null"); // as an update leaves it
  for (let round = 0; round < 5; round += 1) {
    await settle(...Array.from({ length: 60 }, call));
    if (round !== 3) await rolledUp(db, any([usual, "2 days"]));
    await settle(...Array.from({ length: 30 }, call));
    if (round === 2) await rebuild(db);
    for (const from of [ago(31 * 24 * 60 * minute), ago(24 * 60 * minute), ago(50 * 60 * minute * Math.random() + 1)]) {
      const to = ago(any([-minute, 0.3 * minute]));
      expect(await readOverview(db, from, to)).toMatchObject(await overviewOfLog(from, to));
      expect(byName(await readRouteMoney(db, { from, to }))).toEqual(byName(await readReport(db, "route", { from, to })));
      const whole = await sumsBy(["route", "status"], { from, to });
      const { requests, errors, input, output, cost, expense, latency, firstByte } = (await sumsBy(["account"], { from, to })).total;
      expect(whole.total).toMatchObject({ requests, errors, input, output, cost, expense, latency, firstByte });
    }
  }
});

test("the overview reads sums and not the log: it still says what a month brought whose log was dropped", async () => {
  const [from, to] = [new Date("2001-02-01T00:00:00Z"), new Date("2001-02-03T06:15:00Z")];
  const { rows } = await db.pool.query<{ whole_since: Date }>("select whole_since from usage_rollup_state");
  await db.pool.query(`
    insert into usage_total select span, at::timestamptz, 'a/one', 'createImage', n > 1, 'east/a', n, 0, 0, 0, 0, 0, 10 * n, 3 * n, n, n * usage_histogram(9), 0
      from (values (1440, '2001-02-01Z', 1), (1440, '2001-02-02Z', 2), (60, '2001-02-03 05:00Z', 4), (15, '2001-02-03 06:00Z', 8)) t(span, at, n);
    insert into usage_fact values (1440, '2001-02-02Z', 'provider', 'east', 20, 2, 45), (1440, '2001-02-02Z', 'error', 'provider_timeout', 14, 0, null),
      (60, '2001-02-03 05:00Z', 'error', 'provider_unavailable', 15, 0, null);
    insert into usage_active select span, at::timestamptz, block, bits::bit(32768)
      from (values (1440, '2001-02-01Z', 0, b'0110'), (1440, '2001-02-02Z', 0, b'0011'), (60, '2001-02-03 05:00Z', 7, b'1')) t(span, at, block, bits);
    update usage_rollup_state set whole_since = '-infinity'`);
  const read = async () => readOverview(db, from, to);
  const providers = [{ provider: "east", attempts: 20, failures: 2, cost_usd: 45e-8 }];
  const errors = [
    { code: "provider_unavailable", calls: 15 },
    { code: "provider_timeout", calls: 14 },
  ];
  const money = { revenue_usd: 150e-8, cost_usd: 45e-8, revenue_without_cost_usd: 15e-8, margin_usd: 90e-8 };
  expect(await read()).toMatchObject({ calls: 15, failed: 14, active_accounts: 4, ...money, latency_p50_ms: 9, errors, providers });
  for (const table of ["usage_total", "usage_fact", "usage_active"])
    await db.pool.query(`delete from ${table} where starts_at < '2002-01-01'`);
  await db.pool.query("update usage_rollup_state set whole_since = $1", [rows[0]!.whole_since]);
  expect(await read()).toMatchObject({ calls: 0, active_accounts: 0, revenue_usd: 0, latency_p50_ms: null, errors: [], providers: [] });
});
