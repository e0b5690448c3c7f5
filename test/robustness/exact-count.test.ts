// A balance that pays for exactly k calls lets exactly k through, over HTTP, however many processes they meet
// (PEERS.md 2.2: new-api's 50 × 100 against 1000; bifrost's budget times replicas).
import { afterEach, describe, expect, test } from "vitest";
import { type Answer, chat, inParallel, keepAliveAgent } from "./chat-client.ts";
import { flatFee } from "./catalog.ts";
import { sized } from "../support/size.ts";
import { openWorld, type World } from "./world.ts";

/** 0.01 USD a call, reserved and charged: whatever k calls cost, a further one finds nothing. */
const k = 120;
let world: World;
afterEach(() => world.stop());

async function ask(urls: string[], key: string, calls: number, stream: boolean): Promise<Answer[]> {
  const agents = urls.map(() => keepAliveAgent(64));
  const answers: Answer[] = [];
  await inParallel(calls, urls.length * 64, async (index) => {
    const at = index % urls.length;
    answers.push(await chat({ url: urls[at]!, key, model: "demo/flat", stream, agent: agents[at]! }));
  });
  for (const agent of agents) agent.destroy();
  return answers;
}

describe.each([
  { processes: "2 gateways", gateways: 2, env: {} as Record<string, string>, calls: sized(5_000, 800), stream: false },
  { processes: "2 gateways", gateways: 2, env: {} as Record<string, string>, calls: sized(2_000, 500), stream: true },
  {
    processes: "1 gateway of 2 workers",
    gateways: 1,
    env: { SVC_WORKERS: "2" } as Record<string, string>,
    calls: sized(2_000, 500),
    stream: false,
  },
])("$calls calls at $processes on one database (streamed: $stream)", ({ gateways, env, calls, stream }) => {
  test(`exactly ${k} of them are served, the rest get 402, the balance ends at 0`, async () => {
    world = await openWorld({ models: { flat: "flat+sim-tokens-3" }, pricing: flatFee });
    const urls: string[] = [];
    for (let n = 0; n < gateways; n += 1) urls.push((await world.start(env)).url);
    const account = await world.createAccount(String(k * 0.01));
    const answers = await ask(urls, account.key, calls, stream);

    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect({ served: count(200), refused: count(402), all: answers.length }).toEqual({ served: k, refused: calls - k, all: calls });
    expect(answers.filter(({ whole }) => !whole)).toEqual([]);
    expect(world.simulator.counters()).toMatchObject({ received: k, answered: k });
    expect(await world.balance(account)).toMatchObject({ available: 0n, reserved: 0n, spent: BigInt(k) * 1_000_000n });
    expect(await world.audit()).toMatchObject({ reservations_open: 0, mismatches: [] });
  });
});
