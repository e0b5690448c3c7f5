// What an operator does beside a running gateway takes effect in every process at once (docs/behaviour/operation.md#replicas).
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSvc } from "../cli/run-svc.ts";
import { until } from "../support/eventually.ts";
import { chat } from "./chat-client.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let urls: string[];
beforeAll(async () => {
  world = await openWorld({ models: { quick: "quick+sim-tokens-3" } });
  const gateways = await Promise.all([world.start(), world.start({ SVC_WORKERS: "2" })]);
  urls = gateways.map(({ url }) => url);
});
afterAll(() => world.stop());

const svc = async (...words: string[]) => (await runSvc({ DATABASE_URL: world.databaseUrl }, [...words, "--json"])).json();
/** Every process several times: each call takes a new connection, and workers take turns. */
const askAll = async (key: string) =>
  (await Promise.all(urls.flatMap((url) => Array.from({ length: 6 }, () => chat({ url, key, model: "demo/quick" }))))).map(
    ({ status, text }) => codeOf(status, text),
  );
const codeOf = (status: number, text: string) =>
  status === 200 ? "200" : `${status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`;
const agreed = async (key: string, outcome: string) =>
  until(async () => (await askAll(key)).every((said) => said === outcome), `all say ${outcome}`);

test("svc key disable and enable: every process refuses the key, and takes it again", async () => {
  const { account_id, api_key } = await svc("account", "create", "--email", "key@example.com", "--verified", "--deposit", "10");
  const second = await svc("key", "create", String(account_id), "--name", "second");
  await agreed(String(api_key), "200");
  await svc("key", "disable", String(api_key));
  await agreed(String(api_key), "401 invalid_api_key");
  expect(new Set(await askAll(String(second.api_key)))).toEqual(new Set(["200"])); // another key of the account
  await svc("key", "enable", String(api_key));
  await agreed(String(api_key), "200");
});

test("svc account deposit: a running gateway serves at once what it refused with model_requires_paid", async () => {
  const { account_id, api_key } = await svc("account", "create", "--email", "free@example.com", "--verified", "--signup-credit");
  expect(new Set(await askAll(String(api_key)))).toEqual(new Set(["402 model_requires_paid"]));
  await svc("account", "deposit", String(account_id), "5");
  expect(new Set(await askAll(String(api_key)))).toEqual(new Set(["200"]));
});

test("svc account deposit: an account that has spent all is served again at once", async () => {
  const { account_id, api_key } = await svc("account", "create", "--email", "poor@example.com", "--verified", "--deposit", "0.00000001");
  expect(new Set(await askAll(String(api_key)))).toEqual(new Set(["402 insufficient_credits"]));
  await svc("account", "deposit", String(account_id), "5");
  expect(new Set(await askAll(String(api_key)))).toEqual(new Set(["200"]));
  expect((await svc("ledger", "audit")).mismatches).toEqual([]);
});
