// kill -9 of runners and of Postgres at every step of a job's life, while 6 accounts submit each job twice in parallel: no slot and no cap is
// passed, no hold is lost or doubled, no work that an upstream accepted is asked for again, and everything adds up to the unit.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { audit } from "../../src/ledger/audit.ts";
import { persist } from "../../src/ledger/account-batcher.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { newAccount } from "../ledger/new-account.ts";
import { startProgram } from "../support/bundle.ts";
import { type Recorder, startRecorder } from "../support/recorder.ts";
import type { Models } from "./engine.ts";
import { type Answer, type Ask, expectClean, submit } from "./job-rows.ts";

let dataDir: string;
let embedded: Embedded;
let db: Db;
let simulator: Simulator;
let recorder: Recorder;
const workers = new Map<number, ChildProcess>();
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-jobs-"));
  embedded = await startEmbedded({ dataDir: join(dataDir, "db"), durable: true });
  db = connect(embedded.url, { max: 8 });
  await migrate(db);
  simulator = await startSimulator();
  recorder = await startRecorder(simulator.port);
});
afterAll(async () => {
  for (const worker of workers.values()) worker.kill("SIGKILL");
  await db.close();
  recorder.close();
  await simulator.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const kills = 12;
/** What a killed runner had is waited for. */
const leaseMs = 1_000;
const slots = 2;
const cap = 6;
const estimated = 2_000_000n; // two images at 0.01 USD
const models: Models = {
  "test/quick": { kind: "image", routes: ["ember/quick-image"] },
  "test/slow": { kind: "image", routes: ["ember/slow-image+sim-slow-300ms+sim-status-flaky-1"] },
  "test/second": { kind: "image", routes: ["ember/down-image+sim-fail-503", "ember/second-image+sim-images-1"] },
  "test/fails": { kind: "image", routes: ["ember/fails-image+sim-slow-100ms+sim-job-internal_server_error"] },
};
const names = Object.keys(models);

interface Sample {
  account_id: bigint;
  running: number;
  waiting: number;
}

test("kills at every step, each submit twice", async () => {
  const accounts = await Promise.all(Array.from({ length: 6 }, () => newAccount(db, { deposit: 400_000_000n })));
  const start = (n: number) => void workers.set(n, startWorker());
  for (const n of [0, 1, 2]) start(n);

  let over = false;
  const samples: Sample[] = [];
  const sampling = (async () => {
    while (!over) {
      const rows = await db.pool
        .query<Sample>(
          `select account_id, count(*) filter (where status <> 'queued')::int as running, count(*) filter (where status = 'queued')::int as waiting
           from media_job where status in ('queued', 'pending', 'processing') group by account_id`,
        )
        .then((result) => result.rows)
        .catch(() => []);
      samples.push(...rows);
      await sleep(15);
    }
  })();
  // So many and no more, each of a process that has begun: a busy machine starts them slower than they could be killed.
  const killing = (async () => {
    for (let n = 0; n < kills; n += 1) {
      if (n % 5 === 2) embedded.kill9();
      else {
        const worker = workers.get(n % 3)!;
        await Promise.race([once(worker.stdout!, "data"), sleep(10_000)]);
        await sleep(200 + Math.random() * 500);
        worker.kill("SIGKILL");
        start(n % 3);
      }
    }
  })();

  const known = new Map<string, string>(); // account and key to the job
  await Promise.all(accounts.map((accountId) => submitAll(accountId, known)));
  await killing;
  await untilAllEnded();
  over = true;
  await sampling;

  // Slots and caps, as they were seen and as the rows tell them afterwards.
  expect(samples.length).toBeGreaterThan(20);
  expect(samples.filter(({ running, waiting }) => running > slots || waiting > cap)).toEqual([]);
  expect(await mostAtOnce()).toBeLessThanOrEqual(slots);
  // One job for each key.
  const { rows: jobs } = await db.pool.query<{ status: string; n: number }>(
    "select status, count(*)::int as n from media_job group by status",
  );
  expect(jobs.reduce((sum, { n }) => sum + n, 0)).toBe(known.size);
  expect(jobs.map(({ status }) => status).filter((status) => !["succeeded", "failed"].includes(status))).toEqual([]);
  expect(jobs.find(({ status }) => status === "succeeded")!.n).toBeGreaterThan(5);
  // First come, first served.
  expect((await db.pool.query(outOfTurnSql)).rows).toEqual([]);
  // Money.
  const unequal = `select id from media_job where started_at is not null and coalesce(charged, 0) + coalesce(refunded, 0) <> estimated`;
  expect((await db.pool.query(unequal)).rows).toEqual([]);
  const unlogged = `select j.id from media_job j left join usage_log l on l.account_id = j.account_id and l.id = j.id group by j.id having count(l.id) <> 1`;
  expect((await db.pool.query(unlogged)).rows).toEqual([]);
  expect((await audit(db)).holds_open).toBe(0);
  await expectClean(db);
  const { asked } = recorder;
  // No route was asked twice for one job, whatever was killed meanwhile; nothing was asked for a job that has no row.
  expect(asked.filter((one, index) => asked.indexOf(one) !== index)).toEqual([]);
  expect(asked.length).toBeGreaterThan(10);
  const ids = new Set(known.values());
  expect(asked.filter((one) => !ids.has(one.split(" ")[0]!))).toEqual([]);
});

/** Each job twice in parallel under one key, as an impatient client does; a full queue is waited for. */
async function submitAll(accountId: bigint, known: Map<string, string>): Promise<void> {
  for (let n = 0; n < 14; n += 1) {
    const idempotencyKey = `key-${n}`;
    const ask = { accountId, idempotencyKey, estimated, count: 2, model: names[n % names.length]! };
    for (;;) {
      const answers = await Promise.all([patient(ask), patient(ask)]);
      const made = answers.filter(({ outcome }) => outcome !== "full");
      if (made.length === 0) {
        await sleep(100);
        continue;
      }
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      known.set(`${accountId}/${idempotencyKey}`, made[0]!.id);
      break;
    }
  }
}

const patient = (ask: Ask): Promise<Answer> => {
  const withId = { ...ask, id: randomUUID() };
  return persist(60_000, new AbortController().signal, () => submit(db, withId));
};

function startWorker(): ChildProcess {
  return startProgram("job-worker", [embedded.url, recorder.url, join(dataDir, "media"), JSON.stringify(models), String(leaseMs)]);
}

async function untilAllEnded(): Promise<void> {
  const open = () =>
    db.pool.query("select 1 from media_job where completed_at is null limit 1").then(
      ({ rowCount }) => rowCount,
      () => null,
    );
  for (const giveUpAt = performance.now() + 60_000; (await open()) !== 0; await sleep(100))
    if (performance.now() > giveUpAt) throw new Error("jobs are left open");
}

/** Of one account, by when its jobs had their slots. */
async function mostAtOnce(): Promise<number> {
  const { rows } = await db.pool.query<{ most: number }>(
    `select max(running)::int as most from (
       select sum(step) over (partition by account_id order by at, step rows unbounded preceding) as running
       from (select account_id, started_at as at, 1 as step from media_job where started_at is not null
         union all select account_id, completed_at, -1 from media_job where started_at is not null) s) r`,
  );
  return rows[0]!.most;
}

/** Jobs that got their slot after one that came later. */
const outOfTurnSql = `
  select later.id from media_job earlier join media_job later on later.account_id = earlier.account_id and later.seq > earlier.seq
  where earlier.started_at > later.started_at`;
