// npm run bench:summary: what a usage summary costs beside many rows of the log: BENCH_ROWS (1,000,000) of 13 months over 1,000 accounts, a
// fortieth of them of one account in the last 30 days, at most 400,000. Prints how long the sums take to make, their size, the median of each question,
// and with BENCH_PLANS=1 its plan. It needs about 1.2 KB of disk a row.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { type BucketName, bucketsOf } from "../../src/ledger/summary/periods.ts";
import { readSummary } from "../../src/ledger/summary/read-summary.ts";
import type { SummaryGroup } from "../../src/ledger/summary/summary-parts.ts";
import { rebuild } from "../../src/ledger/summary/roll-up.ts";
import { makeMonths } from "../support/log-months.ts";

const rowsMax = Number(process.env.BENCH_ROWS ?? 1_000_000);
const busy = 1n;
const busyRows = Math.min(400_000, Math.round(rowsMax * 0.4));
const dayMs = 24 * 60 * 60_000;
const repeats = 9;

const questions: { days: number; bucket: BucketName; timezone: string; groups: SummaryGroup[] }[] = [
  { days: 1, bucket: "hour", timezone: "Europe/Berlin", groups: [] },
  { days: 1, bucket: "hour", timezone: "Asia/Kolkata", groups: ["model"] },
  { days: 7, bucket: "day", timezone: "Europe/Berlin", groups: ["model", "key"] },
  { days: 30, bucket: "day", timezone: "UTC", groups: ["model", "key", "status"] },
  { days: 30, bucket: "day", timezone: "Europe/Berlin", groups: ["model"] },
  { days: 30, bucket: "hour", timezone: "UTC", groups: [] },
  { days: 395, bucket: "month", timezone: "Europe/Berlin", groups: ["operation"] },
];

const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: false });
const db = connect(embedded.url, { max: 4, statementTimeoutMs: 0 });
try {
  await migrate(db);
  await db.pool.query("select ensure_partitions('usage_log', 1)");
  await makeMonths(db, 13);
  console.log(`${rowsMax} rows in ${await seconds(fill)} s`);
  await db.pool.query("vacuum analyze");
  console.log(`sums made in ${await seconds(() => rebuild(db))} s`);
  await db.pool.query("vacuum analyze usage_rollup");
  const { rows } = await db.pool.query(
    `select count(*) as rows, count(*) filter (where account_id = $1) as busy, pg_size_pretty(pg_total_relation_size('usage_rollup')) as size,
       (select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) from pg_inherits where inhparent = 'usage_log'::regclass) as log from usage_rollup`,
    [busy],
  );
  console.log(rows[0]);
  for (const question of questions) await ask(question);
} finally {
  await db.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const step = 250_000;
  for (let from = 0; from < rowsMax; from += step) {
    await db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, status, http_status, input_tokens,
         cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices, attempts, stream, latency_ms, first_byte_ms)
       select case when n < $3 then $4 else 2 + n % 999 end,
         now() - (case when n < $3 then n::float8 / $3 * 30 else n::float8 / $5 * 395 end) * interval '1 day',
         gen_random_uuid(), 'req_' || n, n % 5, (array['createChatCompletion', 'createMessage'])[1 + n % 2], 'maker/model-' || n % 7, 'language',
         case when n % 50 = 0 then 'failed' else 'success' end, 200, 1000, 10, 0, 200, 0, false, case when n % 50 = 0 then 0 else n % 9000 end, 90000,
         '{"model":"maker/model","input":"200","output":"800","cached":null,"per_request":"0"}',
         jsonb_build_array(jsonb_build_object('route', 'host/model-' || n % 7, 'model', 'maker/model-' || n % 7, 'outcome', 'ok', 'status', 200, 'latency_ms', 812)),
         n % 3 > 0, (200 * exp(3 * random()))::int, (50 * exp(2 * random()))::int
       from generate_series($1::bigint, $2::bigint - 1) n`,
      [from, Math.min(from + step, rowsMax), busyRows, busy, rowsMax],
    );
  }
}

async function ask({ days, bucket, timezone, groups }: (typeof questions)[number]): Promise<void> {
  const to = new Date();
  const span = { from: new Date(to.getTime() - days * dayMs), to };
  const read = async (of: Pick<Db, "pool">) => {
    const buckets = (await bucketsOf(of, span, { bucket, timezone, most: 1000 }))!;
    return readSummary(of, { accountId: busy, span, buckets, groups, filter: {}, limit: 1000 });
  };
  const times: number[] = [];
  let found = await read(db);
  for (let n = 0; n < repeats; n += 1) {
    const began = performance.now();
    found = await read(db);
    times.push(performance.now() - began);
  }
  const median = times.sort((a, b) => a - b)[Math.floor(repeats / 2)]!;
  console.log(`${days} days by ${bucket}, ${timezone}, ${groups.join() || "no groups"}: ${median.toFixed(0)} ms; ${found.rows.length} rows, ${found.total.requests} requests`); // prettier-ignore
  if (process.env.BENCH_PLANS === "1") await read({ pool: { query: explained } } as unknown as Db).catch(() => undefined);
}

async function explained(text: string, values: unknown[]) {
  if (!text.includes("usage_rollup")) return db.pool.query(text, values);
  const { rows } = await db.pool.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers, costs off) ${text}`, values);
  for (const row of rows) console.log(`  ${row["QUERY PLAN"]}`);
  return { rows: [] };
}

async function seconds(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now();
  await work();
  return ((performance.now() - began) / 1000).toFixed(1);
}
