// How a gateway shuts down (docs/behaviour/operation.md#shutdown): SIGTERM, again and again, to the first process or to a worker.
import { connect } from "node:net";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { readConfig } from "../../src/config.ts";
import { startGateway } from "../../src/main.ts";
import { until } from "../support/eventually.ts";
import { chat, keepAliveAgent } from "./chat-client.ts";
import { openDatabaseProxy } from "./database-proxy.ts";
import { childrenOf, openWorld, type World } from "./world.ts";
import { drawn, oneInThree } from "../support/size.ts";

const models = {
  long: "long+sim-pace-40ms+sim-tokens-40",
  slow: "slow+sim-slow-1200ms+sim-tokens-5",
  quick: "quick+sim-tokens-3",
  hang: "hang+sim-hang",
};

let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const isRefused = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => resolve(false)).once("error", () => resolve(true));
    socket.once("close", () => socket.destroy()).once("connect", () => socket.end());
  });

describe.each(drawn([{ processes: 1 }, { processes: 2 }]))("SIGTERM ($processes processes)", ({ processes }) => {
  test("finishes what is in flight, closes idle connections, refuses new ones, exits 0; more SIGTERMs change nothing", async () => {
    world = await openWorld({ models });
    const gateway = await world.start({ SVC_WORKERS: String(processes) });
    const account = await world.createAccount("50");
    const ask = { url: gateway.url, key: account.key };
    const agent = keepAliveAgent(4);
    await Promise.all(Array.from({ length: 4 }, () => chat({ ...ask, model: "demo/quick", agent }))); // leaves idle connections
    const inFlight = [
      ...Array.from({ length: 6 }, () => chat({ ...ask, model: "demo/long", stream: true })),
      ...Array.from({ length: 6 }, () => chat({ ...ask, model: "demo/slow" })),
    ];
    await until(() => world!.simulator.calls().filter(({ outcome }) => outcome === "open").length === 12, "calls are in flight");

    const exited = gateway.kill("SIGTERM");
    await until(() => isRefused(gateway.url), "new connections are refused");
    for (let n = 0; n < 5; n += 1) void gateway.kill("SIGTERM");
    for (const pid of childrenOf(gateway.pid)) process.kill(pid, "SIGTERM");

    expect((await Promise.all(inFlight)).map(({ status, whole }) => ({ status, whole }))).toEqual(
      inFlight.map(() => ({ status: 200, whole: true })),
    );
    expect(await exited).toBe(0);
    const { rows } = await world.db.pool.query("select status, count(*)::int as n from usage_log group by status");
    expect(rows).toEqual([{ status: "success", n: 16 }]);
    expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
    const left = await world.db.pool.query("select 1 from replica");
    expect(left.rowCount).toBe(0); // each process has said good-bye
    agent.destroy();
  });
});

describe("a signal to a worker", () => {
  oneInThree().each(["SIGTERM", "SIGINT"] as const)("%s changes nothing: both go on serving", async (signal) => {
    world = await openWorld({ models });
    const gateway = await world.start({ SVC_WORKERS: "2" });
    const account = await world.createAccount("50");
    const workers = childrenOf(gateway.pid);
    expect(workers.length).toBe(2);
    for (const pid of workers) for (let n = 0; n < 3; n += 1) process.kill(pid, signal);
    for (let n = 0; n < 20; n += 1) expect((await chat({ url: gateway.url, key: account.key, model: "demo/quick" })).status).toBe(200);
    expect(childrenOf(gateway.pid)).toEqual(workers);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

oneInThree()("kill -9 of the first process ends its workers too, once they have finished what is in flight", async () => {
  world = await openWorld({ models });
  const gateway = await world.start({ SVC_WORKERS: "2" });
  const account = await world.createAccount("50");
  const workers = childrenOf(gateway.pid);
  const inFlight = Array.from({ length: 6 }, () => chat({ url: gateway.url, key: account.key, model: "demo/long", stream: true }));
  await until(() => world!.simulator.calls().filter(({ outcome }) => outcome === "open").length === 6, "streams are in flight");
  await gateway.kill("SIGKILL");
  expect((await Promise.all(inFlight)).filter(({ whole }) => !whole)).toEqual([]);
  await until(() => workers.every((pid) => !isAlive(pid)), "the workers have ended");
  expect(await isRefused(gateway.url)).toBe(true);
  expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
});

oneInThree()("SIGTERM without a database ends it anyway, with 0", async () => {
  world = await openWorld({ models });
  const wire = await openDatabaseProxy(world.databaseUrl);
  const gateway = await world.start({ DATABASE_URL: wire.url });
  wire.cut();
  expect(await gateway.kill("SIGTERM")).toBe(0);
  await wire.close();
});

test("what is still in flight at the end of the grace time is told so, costs nothing and gives its reservation back", async () => {
  world = await openWorld({ models });
  const config = readConfig({ PORT: "0", SVC_CATALOG: world.env.SVC_CATALOG });
  const { catalog } = loadCatalog({ path: world.env.SVC_CATALOG!, environment: {} });
  const gateway = await startGateway(config, { databaseUrl: world.databaseUrl, catalog, log: pino({ level: "silent" }), graceMs: 300 });
  const account = await world.createAccount("50");
  const calls = Array.from({ length: 40 }, (_, n) =>
    chat({ url: gateway.url, key: account.key, model: n % 2 ? "demo/hang" : "demo/long", stream: n % 4 < 2 }),
  );
  await until(() => world!.simulator.calls().filter(({ outcome }) => outcome === "open").length === 30, "calls are in flight");
  await gateway.stop();
  const answers = await Promise.all(calls);
  const interrupted = answers.filter(({ status, whole, text }) => status === 200 && whole && text.includes("stream_interrupted"));
  const refused = answers.filter(({ status, whole, text }) => status === 503 && whole && text.includes("overloaded"));
  // Every fourth is a stream under way, every fourth an answer that came at once; the rest hang at their upstream.
  expect({ interrupted: interrupted.length, refused: refused.length }).toEqual({ interrupted: 10, refused: 20 });
  const { rows } = await world.db.pool.query(
    "select status, count(*)::int as n, (sum(cost) > 0) as paid from usage_log group by status order by status",
  );
  expect(rows).toEqual([
    { status: "failed", n: 30, paid: false },
    { status: "success", n: 10, paid: true },
  ]);
  expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
