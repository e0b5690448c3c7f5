// kill -9 and SIGTERM of gateways whose jobs are at an upstream: another one goes on with them within 15 s, and nothing is asked or
// charged twice (docs/behaviour/media-jobs.md#times).
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { verifyChain } from "../../src/ledger/verify.ts";
import { highTiers } from "../support/tiers.ts";
import { catalogFile } from "./catalog.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
afterEach(() => world.stop());

const catalog = (simulatorUrl: string) =>
  catalogFile(`providers:
  - { id: queue, protocol: fal, base_url: "${simulatorUrl}/fal" }
models:
  - id: demo/picture
    type: image
    pricing: { mode: per-image, usd_per_image: 0.01 }
    routes: [{ provider: queue, model: "ember/picture-image+sim-slow-4000ms" }]
tiers: ${JSON.stringify(highTiers())}
`);

async function call(url: string, key: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(url, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
  return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
}

test.each(["SIGKILL", "SIGTERM"] as const)("%s while a job is at its upstream: another gateway ends it", async (signal) => {
  world = await openWorld({ models: { text: "text" } });
  const env = { SVC_CATALOG: catalog(world.simulator.url) };
  const first = await world.start(env);
  const { accountId, key } = await world.createAccount("10");
  const submitted = await call(`${first.url}/v1/images/generations`, key, { model: "demo/picture", prompt: "a hat" });
  expect(submitted).toMatchObject({ status: 202, json: { status: "pending", estimated_cost: 0.01 } });
  const job = async (url: string) => (await call(`${url}/v1/jobs/${String(submitted.json["id"])}`, key)).json;
  const ticket = async () =>
    (await world.db.pool.query<{ has: boolean }>("select upstream is not null as has from media_job")).rows[0]!.has;
  await expect.poll(ticket).toBe(true);

  const second = await world.start(env);
  await first.kill(signal);
  let last = await job(second.url);
  for (let n = 0; n < 300 && last["completed_at"] === null; n += 1) {
    await sleep(100);
    last = await job(second.url);
  }
  expect(last).toMatchObject({ status: "succeeded", charged_amount: 0.01, refunded_amount: null });
  expect(world.simulator.calls().filter(({ method }) => method === "POST").length).toBe(1);
  expect(await world.balance({ accountId })).toMatchObject({ available: 999_000_000n, spent: 1_000_000n });
  expect((await world.audit()).mismatches).toEqual([]);
  expect((await verifyChain(world.db)).broken).toBeNull();
});
