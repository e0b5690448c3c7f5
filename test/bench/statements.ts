// npm run bench:statements: what a settlement costs Postgres, by the CPU of its backend (/proc/<pid>/schedstat): the usual form of ledger_settle
// beside the one that finds out for itself, alternately in one run. A call alone as at 300 requests a second, and back to back; batches of 16
// and 64 over many accounts, and of 64 over one. Linux. Believe the medians' ratio, on a quiet machine.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { findSystemPostgres } from "../../src/db/postgres-process.ts";
import { audit } from "../../src/ledger/audit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { sendAny, sendUsual, type Settlement } from "../../src/ledger/settlement.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { accountsWithMoney, type BenchAccount, logRow } from "./support.ts";

const slices = Number(process.env.BENCH_SLICES ?? 9);
const want = 50_000n;
const cost = 12_345n;
const cases = [
  { name: "alone, every 3.3 ms", size: 1, batches: 100, pauseMs: 3.3, isHot: false },
  { name: "alone, back to back", size: 1, batches: 200, pauseMs: 0, isHot: false },
  { name: "16", size: 16, batches: 30, pauseMs: 0, isHot: false },
  { name: "64", size: 64, batches: 15, pauseMs: 0, isHot: false },
  { name: "64 of one account", size: 64, batches: 15, pauseMs: 0, isHot: true },
];
type Case = (typeof cases)[number];
/** The next account's place. */
let next = 0;

/** One connection, so that its backend is known, which prepares what it is asked. */
interface Line {
  send: (db: Db, items: readonly Settlement[]) => Promise<unknown>;
  db: Db;
  client: pg.Client;
  pid: number;
}

const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const binaries = process.env.BENCH_POSTGRES === undefined ? undefined : findSystemPostgres(Number(process.env.BENCH_POSTGRES));
const embedded = await startEmbedded({ dataDir, durable: true, ...(binaries ? { binaries } : {}) });
const db = connect(embedded.url, { max: 8 });
try {
  await migrate(db);
  const accounts = await accountsWithMoney(db, 1_000, 10n ** 14n);
  await db.pool.query("vacuum analyze");
  const lines = { "finds out": await openLine(sendAny), usual: await openLine(sendUsual) };
  const ledger = await openLedger(db, console.error);
  for (const one of cases) {
    const costs: Record<string, number[]> = { "finds out": [], usual: [] };
    for (let slice = -1; slice < slices; slice += 1) {
      const order = Object.entries(lines);
      for (const [name, line] of slice % 2 === 0 ? order : order.reverse()) {
        const batches = await openCalls(one, accounts, (account, id) => ledger.reserve({ ...account, id, want, least: want }));
        const microseconds = await costOf(line, one, batches);
        if (slice >= 0) costs[name]!.push(microseconds); // the first one warms up
      }
    }
    for (const [name, all] of Object.entries(costs)) {
      const sorted = all.toSorted((a, b) => a - b);
      const [least, middle, most] = [0, sorted.length >> 1, sorted.length - 1].map((place) => sorted[place]!.toFixed(0));
      console.log(`${one.name.padEnd(20)} ${name.padEnd(10)} ${middle!.padStart(5)} us a call (${least} to ${most})`);
    }
  }
  await ledger.close();
  for (const { client } of Object.values(lines)) await client.end();
  const { mismatches, reservations_open } = await audit(db);
  const { broken } = await verifyChain(db);
  console.log(
    `audit: ${mismatches.length} mismatches, ${reservations_open} reservations open; chain ${broken === null ? "whole" : "broken"}`,
  );
  if (mismatches.length + reservations_open > 0 || broken !== null) process.exitCode = 1;
} finally {
  await db.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function openLine(send: Line["send"]): Promise<Line> {
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const query = (text: string, values: unknown[]) => client.query({ name: "settle", text, values });
  return { send, db: { ...db, pool: { query } as unknown as pg.Pool }, client, pid: rows[0]!.pid };
}

async function openCalls(
  { size, batches, isHot }: Case,
  accounts: readonly BenchAccount[],
  reserve: (account: BenchAccount, id: string) => Promise<unknown>,
): Promise<Settlement[][]> {
  const at = new Date();
  const made = Array.from({ length: batches }, () =>
    Array.from({ length: size }, () => {
      const account = accounts[isHot ? 0 : next++ % accounts.length]!;
      const id = randomUUID();
      return { account, settlement: { accountId: account.accountId, id, log: logRow(account, id, cost, want, at) } };
    }),
  );
  await Promise.all(made.flat().map(({ account, settlement }) => reserve(account, settlement.id)));
  return made.map((batch) => batch.map(({ settlement }) => settlement));
}

/** Microseconds of the backend's CPU, a call. */
async function costOf(line: Line, { size, pauseMs }: Case, batches: readonly Settlement[][]): Promise<number> {
  await sleep(20); // until the backend rests
  const before = cpuOf(line.pid);
  for (const batch of batches) {
    await line.send(line.db, batch);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  await sleep(20);
  return (cpuOf(line.pid) - before) / batches.length / size;
}

function cpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000;
}
