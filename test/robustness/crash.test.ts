// kill -9 under HTTP load, of a gateway and of Postgres: the others carry on, reservations come back, what a client
// received in full is charged exactly once (docs/behaviour/ledger.md#replicas).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { until } from "../support/eventually.ts";
import { chat } from "./chat-client.ts";
import { expectCharged, loadModels, timeoutMs, startLoad } from "./load.ts";
import { childrenOf, openWorld, type World } from "./world.ts";
import { oneInThree } from "../support/size.ts";

let world: World;
afterEach(() => world.stop());

const reservationsEnd = () => until(async () => (await world.audit()).reservations_open === 0, "all reservations have ended");

describe("kill -9 of a gateway under load", () => {
  test("another one carries on, the reservations come back, a new one serves again", async () => {
    world = await openWorld({ models: { ...loadModels, hang: "hang+sim-hang" } });
    const [victim, survivor] = [await world.start(), await world.start()];
    let urls = [victim.url, survivor.url];
    const account = await world.createAccount("50");
    const load = startLoad(() => urls, account.key, 24);
    for (let n = 0; n < 5; n += 1) void chat({ url: victim.url, key: account.key, model: "demo/hang" }); // in flight for certain
    await until(() => load.answers.length > 200, "calls are answered");
    await until(() => world.simulator.calls().filter(({ outcome }) => outcome === "open").length >= 5, "calls hang");

    await victim.kill("SIGKILL");
    const before = load.answers.length;
    expect((await world.audit()).reservations_open).toBeGreaterThanOrEqual(5);
    urls = [survivor.url];
    await until(
      () => load.answers.slice(before).filter(({ url, whole }) => url === survivor.url && whole).length > 200,
      "the survivor serves",
    );
    await load.stop();
    await reservationsEnd();
    await until(() => world.simulator.calls().every(({ outcome }) => outcome !== "open"), "no upstream call is left");
    expect(load.answers.filter(({ url, whole }) => url === survivor.url && !whole)).toEqual([]);

    await expectCharged(world, account, load);

    const again = await world.start();
    expect(await chat({ url: again.url, key: account.key, model: "demo/whole" })).toMatchObject({ status: 200, whole: true });
  });

  oneInThree()("of one worker of two: the other carries on, a new one takes its place, its reservations come back", async () => {
    world = await openWorld({ models: { ...loadModels, hang: "hang+sim-hang" } });
    const gateway = await world.start({ SVC_WORKERS: "2" });
    const account = await world.createAccount("50");
    const load = startLoad(() => [gateway.url], account.key, 24);
    for (let n = 0; n < 8; n += 1) void chat({ url: gateway.url, key: account.key, model: "demo/hang" });
    await until(() => load.answers.length > 200, "calls are answered");
    await until(() => world.simulator.calls().filter(({ outcome }) => outcome === "open").length >= 8, "calls hang");

    const workers = childrenOf(gateway.pid);
    expect(workers.length).toBe(2);
    process.kill(workers[0]!, "SIGKILL");
    await until(() => childrenOf(gateway.pid).some((pid) => !workers.includes(pid)), "a new worker");
    const before = load.answers.length;
    await until(() => load.answers.length > before + 400, "calls are answered again");
    await load.stop();
    process.kill(workers[1]!, "SIGKILL"); // the other half of the calls that hang
    await reservationsEnd();
    await expectCharged(world, account, load);
    await until(() => childrenOf(gateway.pid).length === 2, "two workers again");
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

describe("kill -9 of Postgres under load", () => {
  let embedded: Embedded;
  let dataDir: string;
  // After the world, whose connections would keep it running.
  afterAll(async () => {
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("clients get an answer or a clean 5xx and never hang; /readyz says 503, then 200; charges stand", async () => {
    dataDir = mkdtempSync(join(tmpdir(), "svc-robust-"));
    embedded = await startEmbedded({ dataDir, durable: true });
    const db = connect(embedded.url, { max: 1 });
    await migrate(db);
    await db.close();
    world = await openWorld({ models: loadModels, databaseUrl: embedded.url });
    const gateway = await world.start();
    const account = await world.createAccount("50");
    const load = startLoad(() => [gateway.url], account.key, 24);
    for (let round = 0; round < 3; round += 1) {
      const before = load.answers.length;
      await until(() => load.answers.slice(before).filter(({ status }) => status === 200).length > 200, "calls are answered");
      embedded.kill9();
      await until(async () => (await ready(gateway.url)) === 503, "/readyz says 503");
      await until(async () => (await ready(gateway.url)) === 200, "/readyz says 200");
    }
    await load.stop();
    await reservationsEnd();
    expect(load.answers.filter(({ whole }) => !whole)).toEqual([]);
    const codes = new Set(
      load.answers
        .filter(({ status }) => status !== 200)
        .map(({ status, text }) => `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`),
    );
    expect([...codes].filter((code) => code !== "503 overloaded")).toEqual([]);
    await expectCharged(world, account, load);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });

  const ready = async (url: string) => (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })).status;
});
