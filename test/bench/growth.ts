// npm run bench:growth: what a billed call leaves in Postgres, counted and not timed: bytes of the ledger, of the log and of their indexes, WAL
// and transactions; on one account and over 1,000, BENCH_CALLS (20,000) each. Prints the tables of deploy/README.md that are computed from it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { audit } from "../../src/ledger/audit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { inParallel } from "../robustness/chat-client.ts";
import { accountsWithMoney, type BenchAccount, logRow } from "./support.ts";

const calls = Number(process.env.BENCH_CALLS ?? 20_000);
const atOnce = 64;
const want = 50_000n;
const cost = 12_345n;

interface Growth {
  accounts: number;
  /** Bytes a call, by the relation: `ledger_entry` and `usage_log` without their indexes, and each index. */
  relations: Map<string, number>;
  wal: number;
  transactions: number;
}

const found: Growth[] = [];
for (const accounts of [1, 1_000]) found.push(await measure(accounts));
print(found);

async function measure(accounts: number): Promise<Growth> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const embedded = await startEmbedded({ dataDir, durable: false });
  const db = connect(embedded.url, { max: 8 });
  try {
    await migrate(db);
    const funded = await accountsWithMoney(db, accounts, 10n ** 14n);
    await db.pool.query("vacuum analyze");
    await db.pool.query("checkpoint");
    const before = await countsOf(db);
    const sizes = await sizesOf(db);
    await callAll(db, funded);
    const after = await countsOf(db);
    await db.pool.query("vacuum analyze");
    const grown = [...(await sizesOf(db))].map(([name, bytes]) => [name, (bytes - (sizes.get(name) ?? 0)) / calls] as const);
    const { mismatches, entries } = await audit(db);
    if (mismatches.length > 0 || entries !== calls + accounts) throw new Error(`${entries} entries, ${JSON.stringify(mismatches)}`);
    return {
      accounts,
      relations: new Map(grown.filter(([, bytes]) => bytes > 0.5)),
      wal: Number(after.wal - before.wal) / calls,
      transactions: Number(after.transactions - before.transactions) / calls,
    };
  } finally {
    await db.close();
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function callAll(db: Db, accounts: readonly BenchAccount[]): Promise<void> {
  const ledger = await openLedger(db, console.error);
  await inParallel(calls, atOnce, async (n) => {
    const account = accounts[n % accounts.length]!;
    const id = randomUUID();
    await ledger.reserve({ ...account, id, want, least: want });
    await ledger.settle({ accountId: account.accountId, id, log: logRow(account, id, cost, want, new Date()) });
  });
  await ledger.close();
}

async function countsOf(db: Db): Promise<{ wal: bigint; transactions: bigint }> {
  const { rows } = await db.pool.query<{ wal: bigint; transactions: bigint }>(
    `select (pg_current_wal_insert_lsn() - '0/0')::bigint as wal, xact_commit as transactions
     from pg_stat_database where datname = current_database()`,
  );
  return rows[0]!;
}

/** The months of the log together, under the names of the first one's indexes. */
async function sizesOf(db: Db): Promise<Map<string, number>> {
  const { rows } = await db.pool.query<{ name: string; bytes: number }>(
    `select regexp_replace(relname, 'usage_log_\\d+_\\d+', 'usage_log') as name, sum(pg_relation_size(oid))::float8 as bytes
     from pg_class where relkind in ('r', 'i') and relname ~ '^(ledger_entry|usage_log)' group by 1 order by 1`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

function print(all: readonly Growth[]): void {
  const sum = ({ relations }: Growth, pattern: RegExp) =>
    [...relations].reduce((total, [name, bytes]) => (pattern.test(name) ? total + bytes : total), 0);
  const round = (value: number) => Math.round(value).toLocaleString("en");
  console.log("| bytes a call | 1 account | 1,000 accounts |\n|---|---|---|");
  const names = [...new Set(all.flatMap(({ relations }) => [...relations.keys()]))];
  const rows: [string, (one: Growth) => string][] = [
    ...names.map((name): [string, (one: Growth) => string] => [`\`${name}\``, ({ relations }) => round(relations.get(name) ?? 0)]),
    ["WAL, from a checkpoint on", ({ wal }) => round(wal)],
    ["transactions a call", ({ transactions }) => transactions.toFixed(2)],
  ];
  for (const [name, cell] of rows) console.log(`| ${name} | ${all.map(cell).join(" | ")} |`);

  const most = (read: (one: Growth) => number) => Math.max(...all.map(read));
  const [ledger, log, wal] = [most((one) => sum(one, /^ledger_entry/)), most((one) => sum(one, /^usage_log/)), most((one) => one.wal)];
  const short = (value: number) => String(Number(value.toPrecision(2)));
  const size = (bytes: number) => (bytes >= 1e12 ? `${short(bytes / 1e12)} TB` : `${short(bytes / 1e9)} GB`);
  console.log(
    "\n| requests/s | rows a day | ledger a day | usage log a day | WAL a day | a billion entries after |\n|---|---|---|---|---|---|",
  );
  for (const rate of [10, 100, 1_000, 10_000]) {
    const day = rate * 86_400;
    const days = 1e9 / day;
    const cells = [rate.toLocaleString("en"), `${short(day / 1e6)} M`, ...[ledger, log, wal].map((bytes) => size(bytes * day))];
    console.log(
      `| ${cells.join(" | ")} | ${days > 365 ? `${(days / 365).toFixed(1)} years` : `${days.toFixed(days < 10 ? 1 : 0)} days`} |`,
    );
  }
  console.log(
    `\na billion entries: ${size(most((one) => one.relations.get("ledger_entry") ?? 0) * 1e9)}, with their indexes ${size(ledger * 1e9)}`,
  );
}
