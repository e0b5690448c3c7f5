// Three gateways behind nginx, calls of several accounts through it, kill -9 at random moments, and what must hold afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { type Answer, chat, keepAliveAgent } from "../robustness/chat-client.ts";
import { catalogText, flatFee, perToken } from "../robustness/catalog.ts";
import { expectCharged, loadModels, startLoad } from "../robustness/load.ts";
import { openWorld, type World } from "../robustness/world.ts";
import { until } from "../support/eventually.ts";
import { quickLedger } from "../support/quick-ledger.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { freePort } from "../support/free-port.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

const models = { ...loadModels, flat: "flat+sim-slow-150ms+sim-tokens-3" };
/** What the poor account pays for, at 0.01 USD each. */
const affordable = 40;
/** Of the limited account's tier, whatever replica it meets. */
const rpm = 20;
const limitedTier = { tier: 3, deposit: "250" };

export interface Replicas {
  world: World;
  balancer: Balancer;
  gateways: SpawnedGateway[];
  kill(index: number): Promise<void>;
  /** In its old place. */
  restart(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** `env`: of all of them, once the database is known. */
export async function openReplicas(nginx: string, env: (world: World) => Promise<Record<string, string>>): Promise<Replicas> {
  const tiers = highTiers().map((tier) => (tier.tier === limitedTier.tier ? { ...tier, rpm, per_model_rpm: rpm } : tier));
  const world = await openWorld({ models, tiers });
  const text = catalogText(world.simulator.url, models, perToken, tiers);
  const flatAt = text.indexOf("demo/flat");
  writeFileSync(world.env.SVC_CATALOG!, text.slice(0, flatAt) + text.slice(flatAt).replace(perToken, flatFee));
  const shared = await env(world);
  const ports = [await freePort(), await freePort(), await freePort()];
  const start = (index: number) => world.start({ ...shared, ...quickLedger, PORT: String(ports[index]), SVC_TRUSTED_PROXIES: "1" });
  const gateways = await Promise.all(ports.map((_, index) => start(index)));
  const balancer = await startBalancer(nginx, ports);
  return {
    world,
    balancer,
    gateways,
    kill: async (index) => void (await gateways[index]!.kill("SIGKILL")),
    restart: async (index) => void (gateways[index] = await start(index)),
    async stop() {
      await balancer.stop();
      await world.stop();
    },
  };
}

/** `work` kills and restarts; `served` waits until so many more calls came back whole. */
export async function expectExactAfter(
  replicas: Replicas,
  work: (served: (calls: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { world, balancer } = replicas;
  const { url } = balancer;
  const agent = keepAliveAgent(32);
  const rich = [await world.createAccount("50"), await world.createAccount("50"), await world.createAccount("50")];
  const poor = await world.createAccount(String(affordable * 0.01));
  const loads = rich.map((account) => startLoad(() => [url], account.key, 6, 20_000, agent));
  const spending = startSpending(url, poor.key);
  const countServed = () => loads.flatMap(({ answers }) => answers).filter(({ status, whole }) => status === 200 && whole).length;

  await work(async (calls) => {
    const from = countServed();
    await until(() => countServed() >= from + calls, `${calls} more calls are served`);
  });
  await Promise.all(loads.map((load) => load.stop()));
  // What the killed ones had reserved comes back, and the poor account spends it: one look, since what is reserved may come back after it.
  await until(async () => {
    const { available, reserved } = await world.balance(poor);
    return available === 0n && reserved === 0n;
  }, "the poor account has spent all");
  await until(async () => (await world.audit()).reservations_open === 0, "nothing is reserved any more");
  const spent = await spending.stop();
  agent.destroy();

  for (const [index, account] of rich.entries())
    await expectCharged(world, account, { ...loads[index]!, answers: loads[index]!.answers.map(asBroken) });
  const served = spent.filter(({ status, whole }) => status === 200 && whole).length;
  const broken = spent.filter(({ status, whole }) => status === 0 || !whole).length;
  expect(await world.balance(poor)).toMatchObject({ available: 0n, reserved: 0n, spent: BigInt(affordable) * 1_000_000n });
  expect(served).toBeLessThanOrEqual(affordable);
  expect(served + broken).toBeGreaterThanOrEqual(affordable);

  await until(() => world.simulator.calls().every(({ outcome }) => outcome !== "open"), "no upstream call is left");
  const all = [...loads.flatMap(({ answers }) => answers), ...spent];
  const { received, answered } = world.simulator.counters();
  expect(received).toBeLessThanOrEqual(all.filter(({ status }) => status !== 402).length); // no call was sent to a provider twice
  const { rows } = await world.db.pool.query<{ charged: number; poorest: bigint }>(
    `select (select count(*)::int from usage_log where cost > 0) as charged, (select min(available) from balance) as poorest`,
  );
  expect(rows[0]!.charged).toBeLessThanOrEqual(answered);
  expect(rows[0]!.poorest).toBe(0n);
  expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });

  await expectLimited(replicas);
}

/** Calls that cost what they reserve, until told to stop; a refusal is asked again, as what a killed replica held comes back. */
function startSpending(url: string, key: string): { stop(): Promise<Answer[]> } {
  const answers: Answer[] = [];
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      const answer = asBroken(await chat({ url, key, model: "demo/flat", timeoutMs: 20_000 }));
      answers.push(answer);
      if (answer.status !== 200) await sleep(50);
    }
  };
  const done = Promise.all([client(), client(), client()]);
  return {
    async stop() {
      stopped = true;
      await done;
      return answers;
    },
  };
}

/** nginx says 503 where a gateway broke off: nobody knows how far it was. */
function asBroken<Given extends Answer>(answer: Given): Given {
  return answer.status === 503 && answer.text.includes("did not answer") ? { ...answer, status: 0, whole: false } : answer;
}

/** One minute's calls, whichever replica nginx chooses. */
async function expectLimited({ world, balancer }: Replicas): Promise<void> {
  const account = await world.createAccount(limitedTier.deposit);
  const minute = () => Math.floor(Date.now() / 60_000);
  const from = minute();
  const answers = await Promise.all(
    Array.from({ length: rpm * 3 }, () => chat({ url: balancer.url, key: account.key, model: "demo/whole" })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  const served = statuses.filter((status) => status === 200).length;
  if (minute() === from) expect(served).toBe(rpm);
  else expect(served).toBeLessThanOrEqual(2 * rpm);
}
