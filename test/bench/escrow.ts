// npm run bench:escrow: what one statement a call costs Postgres and its caller, the settlement of a call out of a slice, against two, admission and
// settlement: alternately in one run, by the CPU of the backend (/proc/<pid>/schedstat). Of one account. Linux. Believe the medians' ratio.
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { admitBatch } from "../../src/ledger/admission.ts";
import { audit } from "../../src/ledger/audit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { sendUsual, type Settlement } from "../../src/ledger/settlement.ts";
import { accountsWithMoney, type BenchAccount, logRow } from "./support.ts";

const slices = Number(process.env.BENCH_SLICES ?? 7);
const want = 50_000n;
const cost = 12_345n;
const cases = [
  { name: "alone, every 3.3 ms", size: 1, batches: 150, pauseMs: 3.3 },
  { name: "alone, back to back", size: 1, batches: 200, pauseMs: 0 },
  { name: "16", size: 16, batches: 30, pauseMs: 0 },
  { name: "64", size: 64, batches: 15, pauseMs: 0 },
];
const windows = ["rpm", "rpm:north/swift", "tpm", "day"].map((bucket) => ({
  ...{ bucket, seconds: bucket === "day" ? 86_400 : 60, amount: 1, limit: bucket === "day" ? null : 1_000_000_000 },
}));

const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: true });
const db = connect(embedded.url, { max: 8 });
try {
  await migrate(db);
  const accounts = await accountsWithMoney(db, 1_000, 10n ** 14n);
  await db.pool.query("vacuum analyze");
  const ledger = await openLedger(db, console.error);
  const ways = { two: await openLine(), one: await openLine() };
  let next = 0;
  for (const one of cases) {
    const measured: Record<string, { cpu: number; waited: number }[]> = { two: [], one: [] };
    for (let slice = -1; slice < slices; slice += 1) {
      const order = Object.entries(ways);
      for (const [name, line] of slice % 2 === 0 ? order : order.reverse()) {
        const figures = await measure(line, name === "one", accounts[next++ % 100]!, one);
        if (slice >= 0) measured[name]!.push(figures); // the first one warms up
      }
    }
    for (const [name, all] of Object.entries(measured)) {
      const [cpu, waited] = [medianOf(all.map((figures) => figures.cpu)), medianOf(all.map((figures) => figures.waited))];
      console.log(`${one.name.padEnd(20)} ${name.padEnd(4)} ${cpu.padStart(5)} us a call, its batch waits ${waited} us`);
    }
  }
  for (const { client } of Object.values(ways)) await client.end();
  const { mismatches, reservations_open } = await audit(db);
  console.log(`audit: ${mismatches.length} mismatches, ${reservations_open} reservations open`);
  if (mismatches.length + reservations_open > 0) process.exitCode = 1;
  await ledger.close();

  async function measure(line: Line, isSliced: boolean, account: BenchAccount, { size, batches, pauseMs }: (typeof cases)[number]) {
    await openWindows(account);
    const slice = randomUUID();
    if (isSliced) await openSlice(ledger.owner, slice, account);
    await sleep(20); // until the backend rests
    const before = cpuOf(line.pid);
    let waited = 0;
    for (let batch = 0; batch < batches; batch += 1) {
      const items = callsOf(account, size);
      const sentAt = performance.now();
      if (isSliced) {
        const sum = { accountId: account.accountId, id: slice, taken: cost * BigInt(size), unused: null };
        await sendUsual(line.db, items, { takings: items.map(() => ({ slice, amount: cost })), sums: [sum] });
      } else {
        const asked = items.map(({ accountId, id }) => ({ accountId, keyId: account.keyId, id, want, windows }));
        if ((await admitBatch(line.db, ledger.owner, "2 minutes", asked)).includes(null)) throw new Error("a call was not admitted");
        await sendUsual(line.db, items);
      }
      waited += performance.now() - sentAt;
      if (pauseMs > 0) await sleep(pauseMs);
    }
    await sleep(20);
    const cpu = (cpuOf(line.pid) - before) / batches / size;
    if (isSliced) await db.pool.query("select escrow_close($1, $2, 0, true, '{}', '{}', '{}')", [account.accountId, slice]);
    return { cpu, waited: (waited / batches) * 1_000 };
  }
} finally {
  await db.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

/** One connection, so that its backend is known, which prepares what it is asked. */
interface Line {
  db: Db;
  client: pg.Client;
  pid: number;
}

async function openLine(): Promise<Line> {
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { types } = (db.pool as unknown as { options: pg.ClientConfig }).options;
  const query = (text: string, values: unknown[]) => client.query({ name: /(\w+)\(/.exec(text)![1]!, text, values, types: types! });
  return { db: { ...db, pool: { query } as unknown as pg.Pool }, client, pid: rows[0]!.pid };
}

/** Those of this minute, which doesn't end soon. */
async function openWindows({ accountId }: BenchAccount): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 3_000) await sleep(left + 100);
  await db.pool.query(
    `insert into rate_window select $1, b, to_timestamp(floor(extract(epoch from now()) / s) * s), s, 0 from unnest($2::text[], $3::int[]) u(b, s)
     on conflict do nothing`,
    [accountId, windows.map(({ bucket }) => bucket), windows.map(({ seconds }) => seconds)],
  );
}

async function openSlice(owner: string, slice: string, { accountId, keyId }: BenchAccount): Promise<void> {
  await db.pool.query("select escrow_take($1, '2 minutes', $2, true, $3, $4, 0, $5, 1000, 1000, $6, $7, $8, $9, $10)", [
    ...[owner, slice, accountId, keyId, want * 1_000n],
    ...[windows.map(({ bucket }) => bucket), windows.map(({ seconds }) => seconds), windows.map(() => 0), windows.map(() => 1_000)],
    windows.map(({ limit }) => limit),
  ]);
}

function callsOf(account: BenchAccount, size: number): Settlement[] {
  return Array.from({ length: size }, () => {
    const id = randomUUID();
    return { accountId: account.accountId, id, log: logRow(account, id, cost, want, new Date()) };
  });
}

function medianOf(all: readonly number[]): string {
  return all.toSorted((a, b) => a - b)[all.length >> 1]!.toFixed(0);
}

function cpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1_000;
}
