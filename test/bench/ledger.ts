// npm run bench:ledger: reserve + settle through the batchers, against the naive two transactions a request, in the
// same run, on one hot account and on 1,000. fsync on. Believe the ratios, not the absolute figures.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { audit } from "../../src/ledger/audit.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { parseUsd } from "../../src/money.ts";
import { accountsWithMoney, type BenchAccount, logRow } from "./support.ts";

const clients = 256;
const roundMs = Number(process.env.BENCH_MS ?? 3_000);
const rounds = 3;
const want = 50_000n;
const cost = 12_345n;

type Request = (account: BenchAccount) => Promise<void>;

const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: true });
const db = connect(embedded.url, { max: 32 });
const naiveDb = connect(embedded.url, { max: 32 });
try {
  await migrate(db);
  const many = await accountsWithMoney(db, 1_000, parseUsd("100000") as bigint);
  const ledger = await openLedger(db, console.error);
  const variants: Record<string, Request> = {
    naive: (account) => naive(naiveDb, account),
    batchers: (account) => throughBatchers(ledger, account),
  };
  for (const [name, accounts] of Object.entries({ "1 hot account": many.slice(0, 1), "1,000 accounts": many })) {
    const best: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1)
      for (const [variant, request] of Object.entries(variants)) {
        const { perSecond, p50, p99 } = await closedLoop(accounts, request);
        best[variant] = Math.max(best[variant] ?? 0, perSecond);
        console.log(
          `${name.padEnd(15)} ${variant.padEnd(6)} ${perSecond.toFixed(0).padStart(7)} requests/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms`,
        );
      }
    console.log(`${name.padEnd(15)} ratio  ${((best.batchers ?? 0) / (best.naive ?? 1)).toFixed(1)}x (best of ${rounds})\n`);
  }
  await ledger.close();
  const { entries, mismatches, reservations_open } = await audit(db);
  console.log(`audit: ${entries} entries, ${mismatches.length} mismatches, ${reservations_open} reservations open`);
  if (mismatches.length + reservations_open > 0) process.exitCode = 1;
} finally {
  await db.close();
  await naiveDb.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function throughBatchers(ledger: Ledger, account: BenchAccount): Promise<void> {
  const id = randomUUID();
  const at = new Date();
  const { accountId } = account;
  const { granted } = await ledger.reserve({ ...account, id, want, least: want });
  if (granted === null) throw new Error("refused");
  await ledger.settle({ accountId, id, log: logRow(account, id, cost, want, at) });
}

/** What a gateway does that nobody tuned: lock, check, insert, commit; and again. */
async function naive(naiveDb: Db, account: BenchAccount): Promise<void> {
  const { accountId } = account;
  const id = randomUUID();
  const at = new Date();
  await transaction(naiveDb, async (query) => {
    const [balance] = await query("select available from balance where account_id = $1 for update", [accountId]);
    if (balance === undefined || (balance.available as bigint) < want) throw new Error("refused");
    await query("insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, $3, $4, now() + interval '2 minutes')", [
      accountId,
      id,
      want,
      id,
    ]);
  });
  await transaction(naiveDb, async (query) => {
    await query("select available from balance where account_id = $1 for update", [accountId]);
    await query("delete from hold where account_id = $1 and id = $2", [accountId, id]);
    await query("insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, $2, $3, 'usage', $4, 'request')", [
      accountId,
      at,
      id,
      -cost,
    ]);
    await query("insert into usage_log select * from jsonb_populate_record(null::usage_log, $1)", [
      JSON.stringify(logRow(account, id, cost, want, at)),
    ]);
  });
}

async function transaction(
  on: Db,
  work: (query: (text: string, values: unknown[]) => Promise<Record<string, unknown>[]>) => Promise<void>,
): Promise<void> {
  const client = await on.pool.connect();
  try {
    await client.query("begin");
    await work(async (text, values) => (await client.query<Record<string, unknown>>(text, values)).rows);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

async function closedLoop(accounts: readonly BenchAccount[], request: Request): Promise<{ perSecond: number; p50: number; p99: number }> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - startedAt < roundMs) {
        const at = performance.now();
        await request(accounts[next++ % accounts.length] as BenchAccount);
        latencies.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}
