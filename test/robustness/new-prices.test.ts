// SIGHUP to a gateway of one process, the default: the catalog file is read anew while calls run. With workers: test/scale/rolling-restart.test.ts.
import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import type { SpawnedGateway } from "../support/spawned-gateway.ts";
import { catalogText } from "./catalog.ts";
import { type Answer, chat } from "./chat-client.ts";
import { childrenOf, openWorld, type World } from "./world.ts";

const models = { quick: "quick+sim-tokens-3", long: "long+sim-pace-50ms+sim-tokens-60" };
const [oldPrice, newPrice] = ["{ mode: per-token, input: 1, output: 2 }", "{ mode: per-token, input: 10, output: 20 }"];
const logLines = { anew: "the catalog was reloaded", refused: "new catalog refused" };

let world: World;
let gateway: SpawnedGateway;
let key: string;
beforeEach(async () => {
  world = await openWorld({ models, pricing: oldPrice });
  gateway = await world.start({ LOG_LEVEL: "info" });
  ({ key } = await world.createAccount("50"));
});
afterEach(() => world.stop());

/** Writes the file, sends SIGHUP and waits until the log says what came of it. */
async function hangUp(text: string, outcome: keyof typeof logLines) {
  const times = () => gateway.output().split(logLines[outcome]).length - 1;
  const before = times();
  writeFileSync(world.env.SVC_CATALOG!, text);
  process.kill(gateway.pid, "SIGHUP");
  await until(() => times() === before + 1, logLines[outcome]);
}

const priced = (pricing: string, more: Record<string, string> = {}) => catalogText(world.simulator.url, { ...models, ...more }, pricing);
const ask = (model = "demo/quick") => chat({ url: gateway.url, key, model });
const costOf = ({ text }: Answer) => (JSON.parse(text) as { usage: { cost: number } }).usage.cost;
const get = async (path: string) => (await fetch(`${gateway.url}${path}`)).text();

test("SIGHUP brings new prices to the next call and to /v1/pricing, while one in flight pays the old ones; no process is started or ended for it", async () => {
  const oldCost = costOf(await ask());
  const listed = await get("/v1/pricing");
  const stream = chat({ url: gateway.url, key, model: "demo/long", stream: true, more: { stream_options: { include_usage: true } } });
  await until(() => world.simulator.calls().some(({ outcome }) => outcome === "open"), "a stream is in flight");
  await hangUp(priced(newPrice), "anew");
  expect(costOf(await ask())).toBe(Number((oldCost * 10).toFixed(8)));
  expect(listed).toContain('input_per_1m":1,');
  expect(await get("/v1/pricing")).toBe(
    listed.replaceAll('input_per_1m":1,', 'input_per_1m":10,').replaceAll('output_per_1m":2,', 'output_per_1m":20,'),
  );

  const { text } = await stream;
  const usage = JSON.parse(/"usage":(\{"prompt_tokens".*\})\}\n\ndata: \[DONE\]/.exec(text)![1]!) as Record<string, number>;
  expect(usage.cost).toBe(Number(((usage.prompt_tokens! + 2 * usage.completion_tokens!) / 1e6).toFixed(8)));
  const { rows } = await world.db.pool.query<{ cost: bigint }>("select cost from usage_log where model = 'demo/long'");
  expect(rows).toEqual([{ cost: BigInt(Math.round(usage.cost! * 1e8)) }]);
  expect((await world.audit()).mismatches).toEqual([]);
  expect(childrenOf(gateway.pid)).toEqual([]);
  expect(await gateway.kill("SIGTERM")).toBe(0);
});

test("SIGHUP with a wrong file changes nothing and says file, line and reason; the right one after it is taken", async () => {
  const oldCost = costOf(await ask());
  await hangUp(priced(newPrice).replace("type: language", "type: langage"), "refused");
  expect(gateway.output()).toContain(`${world.env.SVC_CATALOG}:5: models[0].type`);
  expect(costOf(await ask())).toBe(oldCost);
  await hangUp(priced(newPrice), "anew");
  expect(costOf(await ask())).toBe(Number((oldCost * 10).toFixed(8)));
});

test("SIGHUP brings models and takes them away, for calls and for media jobs", async () => {
  const imageModel = `  - id: demo/picture
    type: image
    pricing: { mode: per-image, usd_per_image: 0.01 }
    routes: [{ provider: north, model: picture }]
tiers:`;
  expect((await ask("demo/other")).status).toBe(404);
  await hangUp(priced(oldPrice, { other: "other+sim-tokens-3" }).replace("tiers:", imageModel), "anew");
  expect((await ask("demo/other")).status).toBe(200);
  const made = await fetch(`${gateway.url}/v1/genmedia/run`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo/picture", input: { prompt: "A boat" } }),
  });
  expect(await made.json()).toMatchObject({ status: "COMPLETED" });
  await hangUp(priced(oldPrice), "anew");
  expect((await ask("demo/other")).status).toBe(404);
  expect((await ask()).status).toBe(200);
});
