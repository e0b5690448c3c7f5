// SIGHUP replaces the workers one after another (src/start/workers.ts): nobody's call fails, prices change, and what can't start changes nothing.
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { catalogText } from "../robustness/catalog.ts";
import { type Answer, chat, keepAliveAgent } from "../robustness/chat-client.ts";
import { openDatabaseProxy } from "../robustness/database-proxy.ts";
import { expectCharged, loadModels, startLoad } from "../robustness/load.ts";
import { childrenOf, openWorld, type World } from "../robustness/world.ts";
import { type Program, programFor } from "../support/bundle.ts";
import { until as waitUntil } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { oneInThree } from "../support/size.ts";

const models = { ...loadModels, long: "long+sim-pace-40ms+sim-tokens-40" };
// Each roll starts processes: a second each alone, ten on a machine that is busy.
const until = (holds: () => boolean | Promise<boolean>, what: string) => waitUntil(holds, what, 240_000);

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of cleanUp.splice(0).reverse()) await work();
});

async function twoWorkers(env: Record<string, string> = {}, program?: Program): Promise<{ world: World; gateway: SpawnedGateway }> {
  const world = await openWorld({ models });
  cleanUp.push(() => world.stop());
  return { world, gateway: await world.start({ SVC_WORKERS: "2", ...env }, program) };
}

/** The worker of this number stands still as it starts: a rolling restart of two starts the third and the fourth. */
const standStill = (worker: 3 | 4) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import cluster from "node:cluster"; if (cluster.worker?.id === ${worker}) process.kill(process.pid, "SIGSTOP");`,
  )}`,
});
const workersOf = ({ pid }: SpawnedGateway) => childrenOf(pid);
const timesLogged = (gateway: SpawnedGateway, text: string) => gateway.output().split(text).length - 1;
const replaced = (gateway: SpawnedGateway, before: number[]) =>
  until(() => workersOf(gateway).length === 2 && !workersOf(gateway).some((pid) => before.includes(pid)), "two new workers");
const costOf = ({ text }: Answer) => (JSON.parse(text) as { usage: { cost: number } }).usage.cost;

describe("SIGHUP", () => {
  test("twice under load: no call fails, all workers are new ones, every charge is exact", async () => {
    const { world, gateway } = await twoWorkers({}, programFor("svc"));
    const account = await world.createAccount("50");
    const agent = keepAliveAgent(12);
    const loads = [startLoad(() => [gateway.url], account.key, 12, 20_000, agent), startLoad(() => [gateway.url], account.key, 6, 20_000)];
    const answers = () => loads.flatMap((load) => load.answers);
    for (let round = 0; round < 2; round += 1) {
      const from = answers().length;
      await until(() => answers().length > from + 200, "calls are answered");
      const before = workersOf(gateway);
      expect(before.length).toBe(2);
      process.kill(gateway.pid, "SIGHUP");
      await replaced(gateway, before);
    }
    const from = answers().length;
    await until(() => answers().length > from + 200, "the new workers answer");
    await Promise.all(loads.map((load) => load.stop()));
    agent.destroy();
    expect(answers().filter(({ status, whole }) => status !== 200 || !whole)).toEqual([]);
    await expectCharged(world, account, { answers: answers(), stop: async () => undefined });
    expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });

  oneInThree()("during a rolling restart, however often: one more follows", async () => {
    const { world, gateway } = await twoWorkers({ LOG_LEVEL: "info" });
    const account = await world.createAccount("50");
    const before = workersOf(gateway);
    process.kill(gateway.pid, "SIGHUP");
    await until(() => timesLogged(gateway, "rolling restart begins") === 1, "the first begins");
    for (let n = 0; n < 3; n += 1) process.kill(gateway.pid, "SIGHUP");
    await until(() => timesLogged(gateway, "rolling restart done") === 2, "two are done");
    expect(workersOf(gateway).length).toBe(2);
    expect(workersOf(gateway).some((pid) => before.includes(pid))).toBe(false);
    expect((await chat({ url: gateway.url, key: account.key, model: "demo/whole" })).status).toBe(200);
    expect(await gateway.kill("SIGTERM")).toBe(0);
    expect(timesLogged(gateway, "rolling restart begins")).toBe(2);
  });
});

oneInThree()("a wrong catalog leaves the workers and their prices, also for one that crashes; a right one brings new prices", async () => {
  const { world, gateway } = await twoWorkers();
  const account = await world.createAccount("50");
  const costs = async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => chat({ url: gateway.url, key: account.key, model: "demo/whole" })));
    return [...new Set(answers.map(costOf))];
  };
  const path = world.env.SVC_CATALOG!;
  const [oldCost, ...others] = await costs();
  expect(others).toEqual([]);

  const before = workersOf(gateway);
  writeFileSync(
    path,
    catalogText(world.simulator.url, models, "{ mode: per-token, input: 10, output: 20 }").replace("type: language", "type: langage"),
  );
  process.kill(gateway.pid, "SIGHUP");
  await until(() => gateway.output().includes(`${path}:5: models[0].type`), "file, line and reason are said");
  expect(workersOf(gateway)).toEqual(before);
  process.kill(before[0]!, "SIGKILL");
  await until(() => workersOf(gateway).length === 2 && !workersOf(gateway).includes(before[0]!), "a new worker");
  expect(await costs()).toEqual([oldCost]);

  const now = workersOf(gateway);
  writeFileSync(path, catalogText(world.simulator.url, models, "{ mode: per-token, input: 10, output: 20 }"));
  process.kill(gateway.pid, "SIGHUP");
  await replaced(gateway, now);
  expect(await costs()).toEqual([Number((oldCost! * 10).toFixed(8))]);
  expect((await world.audit()).mismatches).toEqual([]);
  expect(await gateway.kill("SIGTERM")).toBe(0);
});

oneInThree()("a new worker that can't start stops it: the others go on", async () => {
  const world = await openWorld({ models });
  cleanUp.push(() => world.stop());
  const wire = await openDatabaseProxy(world.databaseUrl);
  cleanUp.push(() => wire.close());
  const gateway = await world.start({ SVC_WORKERS: "2", DATABASE_URL: wire.url });
  const account = await world.createAccount("50");
  const before = workersOf(gateway);
  wire.cut();
  process.kill(gateway.pid, "SIGHUP");
  await until(() => timesLogged(gateway, "rolling restart stopped") === 1, "it stops");
  wire.restore();
  await until(async () => (await chat({ url: gateway.url, key: account.key, model: "demo/whole" })).status === 200, "calls are served");
  expect(workersOf(gateway)).toEqual(before);
  process.kill(gateway.pid, "SIGHUP");
  await replaced(gateway, before);
  expect(await gateway.kill("SIGTERM")).toBe(0);
});

describe("a worker that crashes while a new one starts", () => {
  /** A rolling restart that has started its first worker, which stands still. */
  async function beginning() {
    const { gateway } = await twoWorkers({ LOG_LEVEL: "info", ...standStill(3) });
    const before = workersOf(gateway);
    process.kill(gateway.pid, "SIGHUP");
    await until(() => workersOf(gateway).length === 3, "a new worker starts");
    const starting = workersOf(gateway).find((pid) => !before.includes(pid))!;
    await until(() => isStopped(starting), "it stands still");
    return { gateway, before, starting };
  }
  /** Until the part that replaces it has seen the new one in its place. */
  async function crash(gateway: SpawnedGateway, pid: number) {
    process.kill(pid, "SIGKILL");
    await until(() => timesLogged(gateway, "a worker ended and is replaced") === 1, "its end is said");
    await sleep(1_500);
  }

  oneInThree().each([
    ["the one that was to go", 0],
    ["another", 1],
  ])("%s: the restart ends with as many workers as before, all new", async (_, which) => {
    const { gateway, before, starting } = await beginning();
    await crash(gateway, before[which]!);
    process.kill(starting, "SIGCONT");
    await until(() => timesLogged(gateway, "rolling restart done") === 1, "it is done");
    expect(workersOf(gateway).length).toBe(2);
    expect(workersOf(gateway)).toContain(starting);
    expect(workersOf(gateway).some((pid) => before.includes(pid))).toBe(false);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });

  oneInThree()("and the new one fails then: there are as many workers as before", async () => {
    const { gateway, before, starting } = await beginning();
    await crash(gateway, before[0]!);
    process.kill(starting, "SIGKILL");
    await until(() => timesLogged(gateway, "rolling restart stopped") === 1, "it stops");
    await until(() => workersOf(gateway).length === 2, "two workers");
    expect(workersOf(gateway)).toContain(before[1]);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

describe("stopped, a rolling restart leaves the old prices to a worker that replaces a crash", () => {
  async function withNewPrices(stopped: 3 | 4) {
    const { world, gateway } = await twoWorkers(standStill(stopped));
    const { key } = await world.createAccount("50");
    const before = workersOf(gateway);
    const ask = () => chat({ url: gateway.url, key, model: "demo/whole" });
    const oldCost = costOf(await ask());
    writeFileSync(world.env.SVC_CATALOG!, catalogText(world.simulator.url, models, "{ mode: per-token, input: 10, output: 20 }"));
    process.kill(gateway.pid, "SIGHUP");
    const newOnes = () => workersOf(gateway).filter((pid) => !before.includes(pid));
    /**
     * Of a worker, once it serves: the other stands still meanwhile, and so takes one call at most. It may hold a lock then that a starting
     * worker waits for: so not for long, and again.
     */
    const costBy = async (pid: number) => {
      const others = workersOf(gateway).filter((other) => other !== pid);
      expect(others.length).toBe(1);
      for (;;) {
        for (const other of others) process.kill(other, "SIGSTOP");
        const calls = [ask(), ask()];
        const first = await Promise.race([...calls, sleep(20_000)]);
        for (const other of others) process.kill(other, "SIGCONT");
        await Promise.all(calls);
        if (first !== undefined) return costOf(first);
      }
    };
    return { gateway, before, oldCost, newOnes, costBy };
  }

  oneInThree()("at its first worker", async () => {
    const { gateway, before, oldCost, newOnes, costBy } = await withNewPrices(3);
    await until(() => newOnes().length === 1, "a new worker starts");
    process.kill(newOnes()[0]!, "SIGKILL");
    await until(() => timesLogged(gateway, "rolling restart stopped") === 1, "it stops");
    process.kill(before[0]!, "SIGKILL");
    await until(() => newOnes().length === 1 && workersOf(gateway).length === 2, "the one that crashed is replaced");
    expect(await costBy(newOnes()[0]!)).toBe(oldCost);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });

  oneInThree()("at its second, when its first has crashed", async () => {
    const { gateway, before, oldCost, newOnes, costBy } = await withNewPrices(4);
    await until(() => newOnes().length === 2 && !workersOf(gateway).includes(before[0]!), "the second starts");
    const [first, second] = newOnes();
    process.kill(first!, "SIGKILL");
    await until(() => timesLogged(gateway, "a worker ended and is replaced") === 1, "its end is said");
    process.kill(second!, "SIGKILL");
    await until(() => timesLogged(gateway, "rolling restart stopped") === 1, "it stops");
    await until(() => newOnes().length === 1 && workersOf(gateway).length === 2, "the one that crashed is replaced");
    expect(await costBy(newOnes()[0]!)).toBe(oldCost);
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });

  oneInThree()("but where a new one serves, its prices hold", async () => {
    const { gateway, before, oldCost, newOnes, costBy } = await withNewPrices(4);
    await until(() => newOnes().length === 2 && !workersOf(gateway).includes(before[0]!), "the second starts");
    const [first, second] = newOnes();
    process.kill(second!, "SIGKILL");
    await until(() => timesLogged(gateway, "rolling restart stopped") === 1, "it stops");
    process.kill(before[1]!, "SIGKILL");
    const third = () => newOnes().find((pid) => pid !== first && pid !== second);
    await until(() => third() !== undefined && workersOf(gateway).length === 2, "the one that crashed is replaced");
    expect(await costBy(third()!)).toBe(Number((oldCost * 10).toFixed(8)));
    expect(await gateway.kill("SIGTERM")).toBe(0);
  });
});

oneInThree()("SIGTERM during a rolling restart ends all of it in order, and it is not said to be done", async () => {
  const { world, gateway } = await twoWorkers({ LOG_LEVEL: "info" });
  const account = await world.createAccount("50");
  const inFlight = Array.from({ length: 6 }, () => chat({ url: gateway.url, key: account.key, model: "demo/long", stream: true }));
  await until(() => world.simulator.calls().filter(({ outcome }) => outcome === "open").length === 6, "streams are in flight");
  process.kill(gateway.pid, "SIGHUP");
  await until(() => timesLogged(gateway, "rolling restart begins") === 1, "it begins");
  await until(() => workersOf(gateway).length === 3, "a new worker starts");
  const seen = workersOf(gateway);
  expect(await gateway.kill("SIGTERM")).toBe(0);
  expect(timesLogged(gateway, "rolling restart done")).toBe(0);
  expect((await Promise.all(inFlight)).filter(({ whole }) => !whole)).toEqual([]);
  expect(seen.filter((pid) => isAlive(pid))).toEqual([]);
  expect((await world.db.pool.query("select 1 from replica")).rowCount).toBe(0); // each process has said good-bye
  expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
});

function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.startsWith("T");
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
