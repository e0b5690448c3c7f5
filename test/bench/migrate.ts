// npm run bench:migrate: how long an update of a filled database takes, migration by migration, beside what `svc migrate --plan` says, and how
// long a read and a write waited meanwhile. The database is that of test/db/golden with BENCH_ACCOUNTS (100,000) accounts, each with a
// key and a session, and BENCH_ROWS (300,000) rows of the usage log. It needs about 1 GB of disk.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { connect } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { planMigrations } from "../../src/db/plan.ts";

const accounts = Number(process.env.BENCH_ACCOUNTS ?? 100_000);
const rowsCount = Number(process.env.BENCH_ROWS ?? 300_000);

/** Past the triggers, as the dump's own three accounts are there already. */
const fill = [
  "set session_replication_role = replica",
  `insert into account (email, email_norm, email_verified_at) select n || '@example.com', n || '@example.com', now() from generate_series(1, ${accounts}) n`,
  "insert into balance (account_id, available) select id, 0 from account where id > 3",
  `insert into api_key (account_id, hash, prefix, last4, name, is_default)
   select id, sha256(id::text::bytea), 'svc_AbCd', right('000' || id, 4), 'key', true from account where id > 3`,
  "insert into key_budget (account_id, key_id) select account_id, id from api_key where account_id > 3",
  `insert into session (hash, account_id, created_at, last_used_at, expires_at)
   select sha256(('svcs' || id)::bytea), id, now(), now(), now() + interval '1 day' from account where id > 3`,
  `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, status, http_status, cost, reserved,
     prices, attempts, stream, latency_ms)
   select 4 + n % ${accounts}, '2026-11-15Z', gen_random_uuid(), 'req_' || n, null, 'createChatCompletion', 'bench/model', 'language', 'success', 200, 1,
     1, '{"input": "1", "output": "1"}', '[{"provider": "bench", "outcome": "ok", "model": "model", "ms": 1}]', false, 1
   from generate_series(1, ${rowsCount}) n`,
  "reset session_replication_role",
  "vacuum analyze",
];

/** What a call reads, and a row that it changes. */
const probes = {
  read: "select from api_key k join account a on a.id = k.account_id join key_budget b on b.key_id = k.id where k.id = 1",
  write: "update api_key set last_used_at = now() where id = 1",
};

/** As a gateway does after a deadlock. */
let deadlocks = 0;
async function again(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if ((error as { code?: string }).code !== "40P01") throw error;
    deadlocks++;
    await again(send);
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: true });
const db = connect(embedded.url, { max: 4, statementTimeoutMs: 0 });
try {
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  await client.query(readFileSync(resolve(import.meta.dirname, "../db/golden/0006.sql"), "utf8"));
  await client.query("set search_path = public");
  for (const statement of fill) await client.query(statement);
  await client.end();

  const plan = await planMigrations(db);
  const took = new Map<string, number>();
  const waited: Record<string, number> = {};
  let isMigrating = true;
  const probing = Object.entries(probes).map(async ([name, sql]) => {
    while (isMigrating) {
      const begunAt = performance.now();
      await again(() => db.pool.query(sql));
      waited[name] = Math.max(waited[name] ?? 0, performance.now() - begunAt);
      await sleep(2);
    }
  });
  let last = performance.now();
  await migrate(db, {
    onApplied: ([name, ...functions]) => {
      took.set(functions.length > 0 ? "functions" : name!, performance.now() - last);
      last = performance.now();
    },
  });
  isMigrating = false;
  await Promise.all(probing);

  console.log(`${accounts} accounts, ${rowsCount} rows of the log`);
  for (const { name, locks } of plan.migrations) {
    const reads = locks.filter(({ work }) => work !== "none").map(({ table, work, bytes, seconds }) => `${table} ${work} ${Math.round((bytes ?? 0) / 1e6)} MB, planned ${seconds} s`); // prettier-ignore
    console.log(`${name.padEnd(26)} ${took.get(name)!.toFixed(0).padStart(6)} ms  ${reads.join("; ")}`);
  }
  console.log(`${"functions".padEnd(26)} ${took.get("functions")!.toFixed(0).padStart(6)} ms`);
  for (const [name, ms] of Object.entries(waited)) console.log(`the longest ${name} took ${ms.toFixed(0)} ms`);
  console.log(`deadlocks that a call lost: ${deadlocks}`);
} finally {
  await db.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
