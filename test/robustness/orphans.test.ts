// A worker whose first process is gone ends within seconds, in whatever moment of its life that was and whatever it waits for.
import { spawn } from "node:child_process";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { until as waitUntil } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { svcPath } from "../support/svc-path.ts";
import { chat } from "./chat-client.ts";
import { type DatabaseProxy, openDatabaseProxy } from "./database-proxy.ts";
import { childrenOf, openWorld, type World } from "./world.ts";
import { drawn, oneInThree } from "../support/size.ts";

// The worker's own bound is 5 s here, 15 s in production.
const until = (holds: () => boolean | Promise<boolean>, what: string) => waitUntil(holds, what, 40_000);

const models = { hang: "hang+sim-hang", long: "long+sim-pace-100ms+sim-tokens-2000" };

const quickEnd = fileURLToPath(new URL("./shorten-orphan-times.ts", import.meta.url));
let world: World;
let wire: DatabaseProxy;
let left: number[] = [];
afterEach(async () => {
  for (const pid of left.splice(0).filter(isAlive)) process.kill(pid, "SIGKILL");
  await wire.close();
  await world.stop();
});

async function openWire() {
  world = await openWorld({ models });
  wire = await openDatabaseProxy(world.databaseUrl);
  return { ...world.env, SVC_WORKERS: "2", DATABASE_URL: wire.url, LOG_LEVEL: "info", NODE_OPTIONS: `--import=${quickEnd}` };
}

async function twoWorkers(): Promise<SpawnedGateway> {
  const env = await openWire();
  return world.start(env);
}

/** Ends the first process without a word and expects the same of every worker that it had. */
async function killFirst(gateway: Pick<SpawnedGateway, "pid" | "kill">, meanwhile: () => unknown = () => undefined) {
  left = childrenOf(gateway.pid);
  expect(left.length).toBeGreaterThanOrEqual(2);
  await gateway.kill("SIGKILL");
  await meanwhile();
  await until(() => !left.some(isAlive), "the workers have ended");
}

/** A worker that starts leaves its first trace in the database there, and waits with it until `release`. */
async function holdStarts(): Promise<{ isWaiting(): Promise<boolean>; release(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: world.databaseUrl });
  holder.on("error", () => undefined);
  await holder.connect();
  await holder.query("begin; lock table replica in access exclusive mode");
  const waiting = `select 1 from pg_locks join pg_database d on d.oid = database
    where not granted and relation = 'replica'::regclass and datname = current_database()`;
  return { isWaiting: async () => ((await world.db.pool.query(waiting)).rowCount ?? 0) > 0, release: () => holder.end() };
}

const openCalls = () => world.simulator.calls().filter(({ outcome }) => outcome === "open").length;

describe("kill -9 of the first process ends a worker", () => {
  oneInThree().each(["rolling restart", "replacement of a crash"])("that starts, in a %s", async (how) => {
    const gateway = await twoWorkers();
    const before = childrenOf(gateway.pid);
    if (how === "rolling restart") process.kill(gateway.pid, "SIGHUP");
    else process.kill(before[0]!, "SIGKILL");
    const starting = () => childrenOf(gateway.pid).filter((pid) => !before.includes(pid));
    await until(() => starting().length === 1, "a new worker starts");
    const starts = await holdStarts();
    await until(() => starts.isWaiting(), "one waits for the database");
    await killFirst(gateway, starts.release);
  });

  oneInThree()("that starts with it", async () => {
    const env = await openWire();
    const starts = await holdStarts();
    const child = spawn(process.execPath, [svcPath, "start"], { env: { PATH: process.env.PATH, PORT: "0", ...env }, stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const gateway = { pid: child.pid!, kill: (signal: NodeJS.Signals) => (child.kill(signal), ended) };
    await until(() => childrenOf(gateway.pid).length === 2, "two workers start");
    await until(() => starts.isWaiting(), "one waits for the database");
    await killFirst(gateway, starts.release);
  });

  oneInThree()("that starts while its database is silent", async () => {
    const gateway = await twoWorkers();
    const before = childrenOf(gateway.pid);
    wire.silence();
    process.kill(gateway.pid, "SIGHUP");
    await until(() => childrenOf(gateway.pid).length === before.length + 1, "a new worker starts");
    await killFirst(gateway);
  });

  const states = [
    ["is there", () => undefined],
    ["is gone", () => wire.cut()],
    ["is silent", () => wire.silence()],
  ] as const;
  test.each(drawn(states))(
    "that serves calls without an end, while its database %s: streams are told so, and nothing of it costs",
    async (state, change) => {
      const gateway = await twoWorkers();
      const account = await world.createAccount("50");
      const calls = Array.from({ length: 8 }, (_, n) =>
        chat({ url: gateway.url, key: account.key, model: n % 2 ? "demo/hang" : "demo/long", stream: true }),
      );
      await until(() => openCalls() === 8, "calls are in flight");
      change();
      await killFirst(gateway);
      const answers = await Promise.all(calls);
      if (state !== "is there") return; // the holds of the others end by themselves: crash.test.ts
      const interrupted = answers.filter(({ status, text }) => status === 200 && text.includes("stream_interrupted"));
      expect(interrupted.length).toBe(4);
      const { rows } = await world.db.pool.query(
        "select status, count(*)::int as n, (sum(cost) > 0) as paid from usage_log group by status",
      );
      expect(rows).toEqual([{ status: "failed", n: 8, paid: false }]);
      expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
    },
  );

  const leavings = [
    ["is replaced", "is there", "SIGHUP"],
    ["stops", "is there", "SIGTERM"],
    ["is replaced", "is gone", "SIGHUP"],
    ["stops", "is gone", "SIGTERM"],
  ] as const;
  test.each(drawn(leavings))("that %s and has a call without an end in hand, while its database %s", async (_, database, signal) => {
    const gateway = await twoWorkers();
    const account = await world.createAccount("50");
    const calls = Array.from({ length: 4 }, () => chat({ url: gateway.url, key: account.key, model: "demo/long", stream: true }));
    await until(() => openCalls() === 4, "calls are in flight");
    const idle = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    await lastAnswers(gateway.url, idle);
    const before = childrenOf(gateway.pid);
    process.kill(gateway.pid, signal);
    if (signal === "SIGHUP") await until(async () => (await lastAnswers(gateway.url, idle)) > 0, "a worker says that it goes");
    else await until(() => isRefused(gateway.url), "new connections are refused");
    expect(before.every(isAlive)).toBe(true);
    if (database === "is gone") wire.cut();
    await killFirst(gateway);
    for (const agent of idle) agent.destroy();
    if (database === "is gone") return void (await Promise.all(calls)); // their holds end by themselves: crash.test.ts
    expect((await Promise.all(calls)).filter(({ text }) => !text.includes("stream_interrupted"))).toEqual([]);
    expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
  });

  oneInThree()("that stood still while it happened, once it goes on", async () => {
    const gateway = await twoWorkers();
    const workers = childrenOf(gateway.pid);
    for (const pid of workers) process.kill(pid, "SIGSTOP");
    await killFirst(gateway, () => workers.forEach((pid) => process.kill(pid, "SIGCONT")));
  });
});

/** Of connections that are kept, some at each worker: how many were asked to end. */
async function lastAnswers(url: string, agents: readonly Agent[]): Promise<number> {
  const ask = (agent: Agent) =>
    new Promise<string | undefined>((resolve, reject) => {
      get(`${url}/healthz`, { agent }, (reply) => reply.resume().once("end", () => resolve(reply.headers.connection))).once(
        "error",
        reject,
      );
    });
  return (await Promise.all(agents.map(ask))).filter((connection) => connection === "close").length;
}

const isRefused = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket
      .once("connect", () => resolve(false))
      .once("connect", () => socket.destroy())
      .once("error", () => resolve(true));
  });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
