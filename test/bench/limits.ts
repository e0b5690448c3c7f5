// npm run bench:limits: checks of three limits each through the real batcher, against rate-limiter-flexible's Postgres store
// (three limiters a call, one after the other, as it offers) on the same server in the same run, slices interleaved.
// Believe the ratios, not the absolute figures.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { RateLimiterPostgres } from "rate-limiter-flexible";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { openCounters, type Counters } from "../../src/limits/counters.ts";
import { median } from "./processes.ts";

const sliceMs = Number(process.env.BENCH_MS ?? 3_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const limit = 1_000_000_000;
const bucketsOf = ["rpm", "rpm:north/swift", "tpm"] as const;

interface Variant {
  pool: pg.Pool;
  check: (account: bigint) => Promise<void>;
}

interface Slice {
  perSecond: number;
  p50: number;
  p99: number;
  cpuUs: number;
  inFlight: number;
}

const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: true });
const closing: (() => Promise<void>)[] = [];
try {
  const ours = connected(10); // as a gateway has them
  const theirs = new pg.Pool({ connectionString: embedded.url, max: 32 });
  closing.push(() => theirs.end());
  await migrate(ours);
  const counters = openCounters(ours, console.error);
  const variants: Record<string, Variant> = {
    flexible: { pool: theirs, check: flexible(await limiters(theirs)) },
    batcher: { pool: ours.pool, check: batcher(counters) },
  };
  console.log("accounts  parallel  variant      checks/s   p50 ms   p99 ms   node us   statements in flight   ratio");
  for (const accounts of [1_000, 1]) for (const parallel of [64, 256]) await report(variants, accounts, parallel);
  await counters.close();
} finally {
  for (const close of closing) await close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function connected(max: number): Db {
  const db = connect(embedded.url, { max });
  closing.push(() => db.close());
  return db;
}

function batcher(counters: Counters): Variant["check"] {
  return async (accountId) => {
    const { refused } = await counters.take(
      bucketsOf.map((bucket) => ({ accountId, bucket, seconds: 60, amount: bucket === "tpm" ? 250 : 1, limit })),
    );
    if (refused !== null) throw new Error("refused");
  };
}

async function limiters(pool: pg.Pool): Promise<RateLimiterPostgres[]> {
  return Promise.all(
    bucketsOf.map(
      (bucket) =>
        new Promise<RateLimiterPostgres>((resolve, reject) => {
          const limiter: RateLimiterPostgres = new RateLimiterPostgres(
            {
              storeClient: pool,
              storeType: "pool",
              points: limit,
              duration: 60,
              keyPrefix: bucket.replaceAll(/\W/g, "_"),
              tableName: `rate_${bucket.replaceAll(/\W/g, "_")}`,
            },
            (error?: unknown) => (error ? reject(error as Error) : resolve(limiter)),
          );
        }),
    ),
  );
}

function flexible(all: RateLimiterPostgres[]): Variant["check"] {
  return async (accountId) => {
    for (const [index, limiter] of all.entries()) await limiter.consume(String(accountId), index === 2 ? 250 : 1);
  };
}

async function report(variants: Record<string, Variant>, accounts: number, parallel: number): Promise<void> {
  const slices = new Map<string, Slice[]>(Object.keys(variants).map((name) => [name, []]));
  for (const variant of Object.values(variants)) await slice(variant, accounts, parallel, sliceMs / 3);
  for (let round = 0; round < rounds; round += 1)
    for (const [name, variant] of Object.entries(variants)) slices.get(name)?.push(await slice(variant, accounts, parallel, sliceMs));
  const base = slices.get("flexible") as Slice[];
  for (const [name, all] of slices) {
    const of = (figure: keyof Slice) => median(all.map((one) => one[figure]));
    const ratio = median(all.map(({ perSecond }, round) => perSecond / (base[round] as Slice).perSecond));
    const figures = [
      of("perSecond").toFixed(0),
      of("p50").toFixed(1),
      of("p99").toFixed(1),
      of("cpuUs").toFixed(1),
      of("inFlight").toFixed(0),
    ];
    const [perSecond, p50, p99, cpu, inFlight] = figures as [string, string, string, string, string];
    console.log(
      `${String(accounts).padStart(8)}  ${String(parallel).padStart(8)}  ${name.padEnd(9)} ${perSecond.padStart(11)} ${p50.padStart(8)} ${p99.padStart(8)} ${cpu.padStart(9)} ${inFlight.padStart(22)}   ${ratio.toFixed(1)}x`,
    );
  }
}

async function slice({ pool, check }: Variant, accounts: number, parallel: number, forMs: number): Promise<Slice> {
  const latencies: number[] = [];
  let inFlight = 0;
  const watch = setInterval(() => (inFlight = Math.max(inFlight, pool.totalCount - pool.idleCount)), 5);
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let next = 0;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (performance.now() - startedAt < forMs) {
        const at = performance.now();
        next = (next + 7) % accounts;
        await check(BigInt(next + 1));
        latencies.push(performance.now() - at);
      }
    }),
  );
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  const share = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
  return {
    perSecond: (latencies.length / (performance.now() - startedAt)) * 1000,
    p50: share(0.5),
    p99: share(0.99),
    cpuUs: (user + system) / latencies.length,
    inFlight,
  };
}
