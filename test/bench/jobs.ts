// npm run bench:jobs: submits, claims, promotions and polls of media jobs, with the CPU of node beside a bare SELECT in the same run, and the
// plans of claim and count beside a million jobs that have ended. Believe the ratios, not the absolute figures.
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedTiers } from "../../src/catalog/tiers.ts";
import type { Catalog } from "../../src/catalog/types.ts";
import { connect } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { claimJobs, claimSql, renewLeases } from "../../src/jobs/claim.ts";
import { readJob } from "../../src/jobs/read-jobs.ts";
import { tierLimits } from "../../src/jobs/submit-request.ts";
import { jobTimes } from "../../src/jobs/parts.ts";
import { accountsWithMoney } from "./support.ts";

const accounts = Number(process.env.BENCH_ACCOUNTS ?? 1_000);
const waiting = Number(process.env.BENCH_WAITING ?? 10_000);
const ended = Number(process.env.BENCH_ENDED ?? 1_000_000);
const parallel = 32;

// As many wait for each account as the figures ask for.
const tiers = tierLimits(shippedTiers.map((tier) => ({ ...tier, image_concurrent: 2, image_queue_depth_cap: 1_000 })).slice(0, 1));
const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: true });
const db = connect(embedded.url, { max: 10, statementTimeoutMs: 0 });
try {
  await migrate(db);
  const ids = (await accountsWithMoney(db, accounts, 1_000_000_000n)).map(({ accountId }) => accountId);
  console.log("what                                   a second   p50 ms   p99 ms   node us   against SELECT");
  const bare = await measure("bare SELECT", 20_000, () => db.pool.query("select $1::text", ["x"]));
  const jobs: SubmittedJob[] = [];
  const queued: SubmittedJob[] = [];
  const inTurn = (n: number) => ids[n % ids.length]!;
  await measure("submit, a slot is free", accounts * 2, async (n) => void jobs.push(await submit(inTurn(n))), bare);
  await measure("submit, queued", waiting, async (n) => void queued.push(await submit(inTurn(n))), bare);
  const owner = randomUUID();
  const reading = { db, catalog: { tiers: shippedTiers } as Catalog };
  const poll = ({ accountId, id }: SubmittedJob) => readJob(reading, { accountId, purchased: 0n, assignedTier: null }, id);
  await measure("poll, running (GET /v1/jobs/{id})", 10_000, (n) => poll(jobs[n % jobs.length]!), bare);
  await measure("poll, waiting, with its turn", 10_000, (n) => poll(queued[n % queued.length]!), bare);
  const claims = Math.ceil(jobs.length / 32);
  const leasing = { db, owner, times: { ...jobTimes, leaseMs: 3_600_000 } };
  const claim = () => claimJobs(leasing, 32);
  await measure("claim of 32", claims, claim, bare);
  const some = (n: number) => jobs.slice((n % 4) * 256, (n % 4) * 256 + 256).map(({ id }) => id);
  await measure("renewal of 256 leases", 50, (n) => renewLeases(leasing, some(n)), bare);
  await measure("finish with promotion", Math.min(jobs.length, waiting), (n) => finish(jobs[n]!, owner), bare);
  await measure("sweep that finds nothing", 50, () => db.pool.query("select media_untidy($1, '60 min', '30 min')", [tiers]), bare);
  await addEnded(ids[0]!);
  await measure("claim of 32, beside the ended ones", claims, claim, bare);
  await explain(ids[0]!);
} finally {
  await db.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

interface Measured {
  perSecond: number;
  cpuUs: number;
}

async function measure(what: string, count: number, work: (n: number) => Promise<unknown>, bare?: Measured): Promise<Measured> {
  const tookMs: number[] = [];
  let next = 0;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const worker = async () => {
    while (next < count) {
      const n = next++;
      const at = performance.now();
      await work(n);
      tookMs.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const measured = { perSecond: count / seconds, cpuUs: (user + system) / count };
  tookMs.sort((one, other) => one - other);
  const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))]!.toFixed(1);
  const ratio =
    bare === undefined ? "" : `cpu x${(measured.cpuUs / bare.cpuUs).toFixed(1)}, rate /${(bare.perSecond / measured.perSecond).toFixed(1)}`;
  const cells = [
    what.padEnd(36),
    measured.perSecond.toFixed(0).padStart(10),
    at(0.5).padStart(8),
    at(0.99).padStart(8),
    measured.cpuUs.toFixed(0).padStart(9),
  ];
  console.log(`${cells.join(" ")}   ${ratio}`);
  return measured;
}

interface SubmittedJob {
  accountId: bigint;
  id: string;
}

async function submit(accountId: bigint): Promise<SubmittedJob> {
  const id = randomUUID();
  const order = { prompt: "a hat", count: 1, size: { width: 1000, height: 1000 }, aspect: null, quality: null, references: [], extra: {} };
  const job = {
    id,
    account_id: String(accountId),
    api: "image",
    kind: "image",
    shown_id: `job_${id}`,
    idempotency_key: id,
    request_id: id,
    operation: "createImage",
    model: "bench/image",
    request: { kind: "image", order },
    prices: { model: "bench/image", unit: "image", each: "10000000000" },
    secret: id,
    estimated: "1000000",
  };
  const { rows } = await db.pool.query<{ outcome: string }>("select outcome from media_submit($1, $2, '24 hours')", [
    JSON.stringify(job),
    tiers,
  ]);
  if (rows[0]!.outcome !== "pending" && rows[0]!.outcome !== "queued") throw new Error(rows[0]!.outcome);
  return { accountId, id };
}

async function finish({ id }: SubmittedJob, owner: string): Promise<void> {
  const sql = "select media_finish($1, $2, 'succeeded', 1000000, 1, '{}', null, null, null, '[]', null, $3) as done";
  const { rows } = await db.pool.query<{ done: boolean }>(sql, [id, owner, tiers]);
  if (!rows[0]!.done) throw new Error("not finished");
}

/** Written without triggers, since only the plans matter. */
async function addEnded(accountId: bigint): Promise<void> {
  await db.pool.query("alter table media_job disable trigger user");
  await db.pool.query(
    `insert into media_job (id, account_id, api, kind, shown_id, status, request_id, operation, http_status, model, prices, secret, estimated, charged,
       output, started_at, completed_at)
     select gen_random_uuid(), $1::bigint + n % $2, 'image', 'image', 'job_' || n, 'succeeded', 'r', 'createImage', 202, 'bench/image', '{}', 's', 100, 100,
       '{}', now(), now() from generate_series(1, $3::int) n`,
    [accountId, accounts, ended],
  );
  await db.pool.query("alter table media_job enable trigger user");
  await db.pool.query("analyze media_job");
}

async function explain(accountId: bigint): Promise<void> {
  const show = async (what: string, sql: string, values: unknown[]) => {
    const { rows } = await db.pool.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers, costs off, timing off) ${sql}`, values);
    console.log(`\n${what}, ${ended} ended jobs beside\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}`);
  };
  await show("claim", claimSql, [randomUUID(), 32, "10 s", "30 min"]);
  const counted =
    "select count(*) from media_job j where j.account_id = $1 and j.status in ('queued', 'pending', 'processing') and j.kind = 'image'";
  await show("count", counted, [accountId]);
}
