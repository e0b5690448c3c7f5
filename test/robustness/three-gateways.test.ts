// Three gateway processes on one Postgres, 200 clients each: limits exact to the request, no overspend to the unit, a key that is
// revoked on one dead on all, also when one of them is killed in between.
import { afterEach, describe, expect, test } from "vitest";
import { openSession } from "../../src/accounts/sessions.ts";
import type { Tier } from "../../src/catalog/types.ts";
import { withinOneMinute } from "../limits/counted-database.ts";
import type { SpawnedGateway } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { flatFee } from "./catalog.ts";
import { type Answer, chat, inParallel, keepAliveAgent } from "./chat-client.ts";
import { openWorld, type World } from "./world.ts";
import { oneInThree } from "../support/size.ts";

const clients = 200;
const rpm = 300;
const perModelRpm = 180;
const models = { one: "one+sim-tokens-3", two: "two+sim-tokens-3" };

let world: World;
const worlds: World[] = [];
afterEach(async () => {
  for (const one of worlds.splice(0)) await one.stop();
});

async function threeGateways(tiers: Tier[]): Promise<SpawnedGateway[]> {
  world = await openWorld({ models, pricing: flatFee, tiers });
  worlds.push(world);
  return Promise.all([1, 2, 3].map(() => world.start()));
}

/** Clients of every gateway at once, each with several calls, over both models. */
async function callAll(
  gateways: SpawnedGateway[],
  key: string,
  callsEach: number,
  during?: () => Promise<unknown>,
): Promise<(Answer & { model: string })[]> {
  const answers: (Answer & { model: string })[] = [];
  const agents = gateways.map(() => keepAliveAgent(clients));
  const calling = inParallel(gateways.length * clients * callsEach, gateways.length * clients, async (index) => {
    const at = index % gateways.length;
    const model = index % 2 === 0 ? "demo/one" : "demo/two";
    answers.push({ ...(await chat({ url: gateways[at]!.url, key, model, agent: agents[at]!, timeoutMs: 20_000 })), model });
  });
  await Promise.all([calling, during?.()]);
  for (const agent of agents) agent.destroy();
  return answers;
}

const served = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

/** The window slides: only calls that all fall into one minute, after an empty one, have one exact answer. What they take, on most machines. */
const callsMs = 25_000;

async function taken(accountId: bigint): Promise<bigint> {
  const { rows } = await world.db.pool.query<{ n: bigint }>(
    "select coalesce(sum(n), 0)::bigint as n from rate_window where account_id = $1 and bucket = 'rpm'",
    [accountId],
  );
  return rows[0]!.n;
}

async function expectClean(): Promise<void> {
  expect((await world.audit()).mismatches).toEqual([]);
  expect((await verifyChain(world.db)).broken).toBeNull();
}

const limits = highTiers({ rpm, per_model_rpm: perModelRpm });

describe("3 gateways, 200 clients each", () => {
  oneInThree()("the limits hold to the request, over all models and for each", async () => {
    const gateways = await threeGateways(limits);
    await withinOneMinute(async () => {
      const account = await world.createAccount("1000");
      const answers = await callAll(gateways, account.key, 3);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
      expect(served(answers)).toBe(rpm);
      for (const model of ["demo/one", "demo/two"])
        expect(served(answers.filter((answer) => answer.model === model))).toBeLessThanOrEqual(perModelRpm);
      expect(await taken(account.accountId)).toBe(BigInt(rpm));
      expect(await world.balance(account)).toMatchObject({ reserved: 0n, spent: BigInt(rpm) * 1_000_000n });
      await expectClean();
    }, callsMs);
  });

  oneInThree()("one is killed in between: the limit is not passed, and nothing is charged twice or too much", () =>
    withinOneMinute(async () => {
      const gateways = await threeGateways(limits);
      const account = await world.createAccount("1000");
      const answers = await callAll(gateways, account.key, 3, async () => {
        await new Promise((resolve) => setTimeout(resolve, 150));
        await gateways[1]!.kill("SIGKILL");
      });
      expect(served(answers)).toBeLessThanOrEqual(rpm);
      expect(await taken(account.accountId)).toBe(BigInt(rpm)); // what the killed one had taken counts
      await expect.poll(async () => (await world.balance(account)).reserved, { interval: 250 }).toBe(0n);
      const { spent } = await world.balance(account);
      expect(spent % 1_000_000n).toBe(0n);
      expect(spent).toBeGreaterThanOrEqual(BigInt(served(answers)) * 1_000_000n);
      expect(spent).toBeLessThanOrEqual(BigInt(rpm) * 1_000_000n);
      await expectClean();
    }, callsMs),
  );

  test("a balance for 100 calls pays for exactly 100, with one killed in between", async () => {
    const gateways = await threeGateways(highTiers({}));
    const account = await world.createAccount("1.00"); // 0.01 a call
    const first = await callAll(gateways, account.key, 1, async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await gateways[2]!.kill("SIGKILL");
    });
    await expect.poll(async () => (await world.balance(account)).reserved, { interval: 250 }).toBe(0n);
    const rest = await callAll(gateways.slice(0, 2), account.key, 1); // what the killed one had reserved is there again
    const { available, spent } = await world.balance(account);
    expect({ available, spent }).toEqual({ available: 0n, spent: 100_000_000n });
    expect(served([...first, ...rest])).toBeLessThanOrEqual(100);
    await expectClean();
  });

  oneInThree()("a key that is disabled on one is dead on all as soon as they hear of it", async () => {
    const gateways = await threeGateways(highTiers({}));
    const account = await world.createAccount("1000");
    const { token } = await openSession(world.db, { accountId: account.accountId, at: new Date() });
    const statusAt = async ({ url }: SpawnedGateway) => (await chat({ url, key: account.key, model: "demo/one" })).status;
    expect(await Promise.all(gateways.map(statusAt))).toEqual([200, 200, 200]);
    const reply = await fetch(`${gateways[0]!.url}/v1/auth/keys/${account.key}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ enabled: false }),
    });
    expect(reply.status).toBe(200);
    await expect.poll(() => Promise.all(gateways.map(statusAt))).toEqual([401, 401, 401]);
  });
});
