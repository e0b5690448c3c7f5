// `svc catalog apply` beside two replicas of two workers each, under load: no call fails, all follow, and each call pays the prices that it began
// with.
import { writeFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { callSvc } from "../cli/run-svc.ts";
import { catalogFile, catalogText } from "../robustness/catalog.ts";
import { type Answer, chat } from "../robustness/chat-client.ts";
import { loadModels, startLoad } from "../robustness/load.ts";
import { childrenOf, openWorld, type World } from "../robustness/world.ts";
import { until } from "../support/eventually.ts";

const models = { ...loadModels, long: "long+sim-pace-50ms+sim-tokens-60" };
const dearer = "{ mode: per-token, input: 10, output: 20 }";

let world: World;
afterEach(() => world.stop());

const usageOf = ({ text }: Answer) =>
  (text.startsWith("{")
    ? (JSON.parse(text) as { usage: object }).usage
    : JSON.parse(/"usage":(\{"prompt_tokens".*\})\}\n\ndata: \[DONE\]/.exec(text)![1]!)) as Record<
    "prompt_tokens" | "completion_tokens" | "cost",
    number
  >;
const atPrice = (answer: Answer, times: number) => {
  const { prompt_tokens, completion_tokens } = usageOf(answer);
  return Number(((times * (prompt_tokens + 2 * completion_tokens)) / 1e6).toFixed(8));
};

test("no call fails, every process follows, old calls keep their prices, new ones pay the new ones, and a restart keeps them", async () => {
  world = await openWorld({ models });
  const gateways = await Promise.all([world.start({ SVC_WORKERS: "2" }), world.start({ SVC_WORKERS: "2" })]);
  const account = await world.createAccount("50");
  const workers = gateways.map(({ pid }) => childrenOf(pid));
  const load = startLoad(() => gateways.map(({ url }) => url), account.key, 8, 20_000);
  await until(() => load.answers.length > 60, "calls are answered");
  const long = gateways.map(({ url }) =>
    chat({ url, key: account.key, model: "demo/long", stream: true, more: { stream_options: { include_usage: true } } }),
  );
  await until(() => world.simulator.calls().filter(({ outcome }) => outcome === "open").length >= 2, "streams are in flight");

  const file = catalogFile(catalogText(world.simulator.url, models, dearer));
  const applied = await callSvc(world.env, ["catalog", "apply", file, "--yes"]);
  expect([applied.status, applied.stderr]).toEqual([0, ""]);
  const cost = async (url: string) => {
    const answer = await chat({ url, key: account.key, model: "demo/whole" });
    return usageOf(answer).cost / atPrice(answer, 1);
  };
  /** Enough calls that each worker has some: connections are handed out in turn. */
  const costs = async () => new Set((await Promise.all(gateways.flatMap(({ url }) => [1, 2, 3, 4].map(() => cost(url))))).map(Math.round));
  await until(async () => [...(await costs())].join() === "10", "every worker charges the new prices");
  const from = load.answers.length;
  await until(() => load.answers.length > from + 60, "calls are answered at the new prices");
  await load.stop();

  expect(load.answers.filter(({ status, whole }) => status !== 200 || !whole)).toEqual([]);
  expect(load.answers.filter((answer) => ![atPrice(answer, 1), atPrice(answer, 10)].includes(usageOf(answer).cost))).toEqual([]);
  expect(load.answers.slice(from + 20).filter((answer) => usageOf(answer).cost !== atPrice(answer, 10))).toEqual([]);
  for (const answer of await Promise.all(long)) expect(usageOf(answer).cost).toBe(atPrice(answer, 1));
  const { rows } = await world.db.pool.query<{ cost: bigint }>("select cost from usage_log where model = 'demo/long'");
  expect(rows.map(({ cost }) => Number(cost)).sort()).toEqual((await Promise.all(long)).map((answer) => Math.round(usageOf(answer).cost * 1e8)).sort()); // prettier-ignore
  expect(gateways.map(({ pid }) => childrenOf(pid))).toEqual(workers);

  // The file still has the old prices.
  const later = await world.start();
  expect(Math.round(await cost(later.url))).toBe(10);
  // A hangup reads the file, and what was applied stays in use.
  writeFileSync(world.env.SVC_CATALOG!, catalogText(world.simulator.url, models, "{ mode: per-token, input: 7, output: 14 }"));
  process.kill(later.pid, "SIGHUP");
  expect(Math.round(await cost(later.url))).toBe(10);
  expect((await callSvc(world.env, ["catalog", "revert"])).status).toBe(0);
  await until(async () => Math.round(await cost(later.url)) === 7, "the file is in use again, as it is now");
  await until(async () => [...(await costs())].join() === "1", "the others use the file as they have read it");
  expect((await world.audit()).mismatches).toEqual([]);
});
