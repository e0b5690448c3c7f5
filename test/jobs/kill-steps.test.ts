// kill -9 of the runner, and of Postgres, at each step of a job's life, one by one; crash.test.ts does it to many jobs at random.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { persist } from "../../src/ledger/account-batcher.ts";
import { openMedia } from "../../src/media/media.ts";
import type { JobOutput } from "../../src/jobs/types.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { newAccount } from "../ledger/new-account.ts";
import { startProgram } from "../support/bundle.ts";
import type { Models } from "./engine.ts";
import { entries, expectClean, rowOf, submit } from "./job-rows.ts";
import { drawn } from "../support/size.ts";

let dataDir: string;
let embedded: Embedded;
let db: Db;
let simulator: Simulator;
let upstream: Server;
const workers: ChildProcess[] = [];
/** What came upstream since the test began. */
let asked: string[] = [];
let gate: { step: string; reached: () => void } | null = null;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "svc-steps-"));
  embedded = await startEmbedded({ dataDir: join(dataDir, "db"), durable: true });
  db = connect(embedded.url, { max: 4 });
  await migrate(db);
  simulator = await startSimulator();
  upstream = await startUpstream();
});
afterEach(async () => {
  gate = null;
  asked = [];
  await Promise.all(
    workers.splice(0).map(async (worker) => {
      if (worker.exitCode !== null || worker.signalCode !== null) return;
      worker.kill("SIGKILL");
      await once(worker, "exit");
    }),
  );
});
afterAll(async () => {
  upstream.close();
  upstream.closeAllConnections();
  await db.close();
  await simulator.close();
  await embedded.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const models: Models = { "test/picture": { kind: "image", routes: ["ember/flash-image+sim-slow-300ms"] } };
/** In the order of a job's life. The first two: before and after the upstream heard of it, without its answer. */
const steps = ["asking", "answering", "looking", "fetching the result", "loading a file"] as const;
const estimated = 2_000_000n;

const stepOf = ({ method, url = "" }: IncomingMessage) =>
  method === "POST"
    ? "asking"
    : url.endsWith("/status")
      ? "looking"
      : /\/requests\/[^/]+$/.test(url)
        ? "fetching the result"
        : "loading a file";

/** A proxy before the simulator. At the chosen step it pauses for a moment, in which the test kills; then it goes on. */
async function startUpstream(): Promise<Server> {
  const server = createServer((incoming, reply) => {
    const step = stepOf(incoming);
    if (step === "asking") asked.push(String(incoming.headers["idempotency-key"]));
    const headers = incoming.headers;
    void (async () => {
      await pass(step);
      const onward = request({ port: simulator.port, method: incoming.method, path: incoming.url, headers }, (answer) => {
        void (async () => {
          if (step === "asking") await pass("answering");
          reply.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(reply);
        })();
      });
      onward.on("error", () => reply.destroy());
      incoming.pipe(onward);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function pass(step: string): Promise<void> {
  if (gate?.step !== step) return;
  const { reached } = gate;
  gate = null;
  reached();
  await new Promise((resolve) => setTimeout(resolve, 200));
}

async function reach(step: string): Promise<void> {
  await new Promise<void>((reached) => (gate = { step, reached }));
}

/** Where no runner dies, none waits for a lease to end, and none may end while Postgres starts again. */
const longLeaseMs = 60_000;

function startWorker(leaseMs = 3_000): ChildProcess {
  const address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const settings = [embedded.url, address, join(dataDir, "media"), JSON.stringify(models), String(leaseMs)];
  const worker = startProgram("job-worker", settings, "ignore");
  workers.push(worker);
  return worker;
}

const patiently = <T>(work: () => Promise<T>) => persist(30_000, new AbortController().signal, work);

async function place(): Promise<string> {
  const accountId = await patiently(() => newAccount(db, { deposit: 400_000_000n }));
  return (await patiently(() => submit(db, { accountId, estimated, count: 2 }))).id;
}

async function ended(id: string): Promise<Record<string, unknown>> {
  const isOver = async () => (await patiently(() => rowOf(db, id)))["completed_at"];
  await expect.poll(isOver, { interval: 50 }).not.toBeNull();
  return patiently(() => rowOf(db, id));
}

/** A killed Postgres answers some last questions before its connections break. */
async function expectOnce(id: string, made: boolean): Promise<void> {
  const row = await ended(id);
  const how = made ? { status: "succeeded", charged: estimated } : { status: "failed", error_code: "provider_error", refunded: estimated };
  expect(row).toMatchObject(how);
  expect(await patiently(() => entries(db, id))).toEqual([
    `hold -${estimated}`,
    ...(made ? [`hold_settle ${estimated}`, `usage -${estimated}`] : [`hold_release ${estimated}`]),
  ]);
  expect((await patiently(() => db.pool.query("select 1 from usage_log where id = $1", [id]))).rowCount).toBe(1);
  expect(asked).toEqual([id]);
  await patiently(() => expectClean(db));
}

test.each(drawn(steps))("the runner, %s: another one goes on where the upstream's word is known, and repeats nothing", async (step) => {
  const reached = reach(step);
  const worker = startWorker();
  const id = await place();
  await reached;
  worker.kill("SIGKILL");
  startWorker();
  await expectOnce(id, step !== "asking" && step !== "answering");
});

test.each(drawn(steps))("Postgres, %s: the runner goes on when it is back", async (step) => {
  const reached = reach(step);
  startWorker(longLeaseMs);
  const id = await place();
  await reached;
  embedded.kill9();
  await expectOnce(id, true);
});

test.each(drawn(steps))(
  "the runner stands still, %s, and wakes when another one has ended its job: nothing changes, no file goes",
  async (step) => {
    const made = step !== "asking" && step !== "answering";
    const reached = reach(step);
    const worker = startWorker();
    const id = await place();
    await reached;
    worker.kill("SIGSTOP");
    startWorker();
    await expectOnce(id, made);
    worker.kill("SIGCONT");
    const exited = once(worker, "exit");
    worker.kill("SIGTERM"); // it ends when it has let go of everything
    await exited;
    await expectOnce(id, made);
    const media = await openMedia({ dataDir: join(dataDir, "media"), blobUrl: null, allowPrivateUrls: true }, { pausesMs: [1] });
    const { files = [] } = ((await rowOf(db, id))["output"] as JobOutput | null) ?? {};
    expect(files).toHaveLength(made ? 2 : 0);
    for (const { name } of files) expect(await media.store.size(name)).toBeGreaterThan(0);
    await media.close();
  },
);

test.each(drawn(["the runner", "Postgres"]))("%s, writing the end: it is written once", async (who) => {
  const worker = startWorker(who === "Postgres" ? longLeaseMs : undefined);
  const reached = reach("loading a file");
  const id = await place();
  await reached;
  const operator = connect(embedded.url, { max: 1, statementTimeoutMs: 0 }); // without our timeouts, like psql
  const holder = await operator.pool.connect();
  await holder.query("begin");
  await holder.query("select 1 from balance where account_id = (select account_id from media_job where id = $1) for update", [id]);
  const waits = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and position('media_finish' in query) > 0";
  await expect.poll(async () => (await db.pool.query(waits)).rowCount, { interval: 20 }).toBe(1);
  if (who === "Postgres") embedded.kill9();
  else worker.kill("SIGKILL");
  await holder.query("rollback").catch(() => undefined);
  holder.release(true);
  await operator.close();
  if (who !== "Postgres") startWorker();
  await expectOnce(id, true);
});

test.each(drawn(["a runner", "Postgres"]))("%s, before the claim: the job is taken up", async (who) => {
  const id = await place();
  if (who === "Postgres") embedded.kill9();
  else startWorker().kill("SIGKILL");
  startWorker();
  await expectOnce(id, true);
});
