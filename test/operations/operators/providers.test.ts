// Providers and routes for operators: their figures, and taking one out of use for a while, in every process.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";
import { language, provider } from "../chat/chat-gateway.ts";

const catalog = JSON.stringify({
  providers: [provider("north"), provider("south"), provider("west"), provider("east")],
  models: [
    language("demo/two", ["a", "b"], { routes: [route("north", "a"), route("south", "b")] }),
    language("demo/one", ["c"], { routes: [route("west", "c")] }),
    language("demo/unknown", ["e"], { routes: [{ provider: "east", model: "e" }] }),
    language("demo/mixed", ["f"], { routes: [route("east", "f")] }),
    language("demo/failing", ["d"], { routes: [route("west", "sim-fail-503")] }),
    language("demo/broken", ["broken"], { routes: [route("south", "broken+sim-fail-503")] }),
  ],
});

let first: Gateway;
let second: Gateway;
let admin: { account: TestAccount; key: string };
let finance: typeof admin;
let caller: TestAccount;
beforeAll(async () => {
  first = await startGateway({ catalog });
  second = await startGateway({ catalog, databaseUrl: first.databaseUrl });
  [admin, finance] = [await newOperator(first, "admin"), await newOperator(first, "finance")];
  caller = await first.createAccount({ deposit: "5" });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

function route(name: string, model: string) {
  return { provider: name, model, cost: { input: 0.1, output: 0.1 } };
}
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string; param?: string } } }) => [status, json.error?.code];
const post = (path: string, body: object, key = admin.key) =>
  first.request("POST", `/v1/operator/providers/${path}`, { key, body: { reason: "a test", ...body } });
const list = async () => (await first.request("GET", "/v1/operator/providers", { key: finance.key })).json.data as Shown[];
const call = (gateway: Gateway, model: string) =>
  gateway.request("POST", "/v1/chat/completions", {
    key: caller.key,
    body: { model, max_tokens: 5, messages: [{ role: "user", content: "hello" }] },
  });
async function routeOf(gateway: Gateway, model: string): Promise<string | null> {
  const { headers } = await call(gateway, model);
  const id = headers["x-request-id"] as string;
  return (await first.request("GET", `/v1/operator/calls/${id}`, { key: admin.key })).json.attempts.at(-1).route as string;
}
interface Shown {
  id: string;
  disabled: unknown;
  health: string;
  routes: { route: string; breaker: string; disabled: unknown; health: string }[];
}

describe("the list", () => {
  test("shows each route with its health, latency, causes and margin, and the provider's own sums", async () => {
    const { spent } = await first.balance(caller);
    expect((await call(first, "demo/two")).status).toBe(200);
    expect((await call(first, "demo/failing")).status).toBe(503);
    const charged = (await first.balance(caller)).spent - spent;
    const [north, south, west] = await list();
    const figures = { health: "ok", attempts: 1, failures: 0, calls_24h: 1, causes: [], latency_p50_ms: expect.any(Number) };
    expect(north).toMatchObject({
      id: "north",
      disabled: null,
      ...figures,
      routes: [{ route: "north/a", models: ["demo/two"], ...figures }],
    });
    const { revenue_24h_usd: revenue, cost_24h_usd: cost, margin_24h_usd: margin } = north as unknown as Record<string, number>;
    expect(revenue).toBeCloseTo(charged, 8);
    expect(cost).toBeGreaterThan(0);
    expect(margin).toBeCloseTo(revenue! - cost!, 8);
    expect(south).toMatchObject({ health: "unknown", attempts: 0, latency_p50_ms: null });
    expect(west!.routes.find((one) => one.route === "west/sim-fail-503")).toMatchObject({
      health: "failing",
      breaker: "failing",
      causes: [{ cause: "http_503", attempts: 1 }],
    });
  });

  test("the breaker of a route is failing after four failures in a row, open after five, and closed where none was", async () => {
    const breaker = async (name: string) => (await list())[1]!.routes.find(({ route }) => route === `south/${name}`)!.breaker;
    expect(await breaker("broken+sim-fail-503")).toBe("closed");
    for (let n = 0; n < 4; n++) expect((await call(first, "demo/broken")).status).toBe(503);
    expect(await breaker("broken+sim-fail-503")).toBe("failing");
    // One more opens it, for 5 seconds; on a machine that took longer to look, the next one does so again.
    await eventually(async () => {
      expect((await call(first, "demo/broken")).status).toBe(503);
      expect(await breaker("broken+sim-fail-503")).toBe("open");
    });
    expect(await breaker("b")).toBe("closed");
  });
});

test("a route without a cost: its cost and margin are unknown, its provider's leave its revenue out, and say how much that is", async () => {
  const east = async () => (await list()).at(-1)! as unknown as Record<string, number | null> & { routes: Record<string, unknown>[] };
  const before = await first.balance(caller);
  expect((await call(first, "demo/unknown")).status).toBe(200);
  const charged = (await first.balance(caller)).spent - before.spent;
  expect(charged).toBeGreaterThan(0);
  const unknown = { cost_24h_usd: null, margin_24h_usd: null };
  const [own] = (await east()).routes;
  expect(own).toMatchObject({ route: "east/e", calls_24h: 1, ...unknown });
  expect(own!["revenue_24h_usd"]).toBeCloseTo(charged, 8);
  expect(own!["revenue_without_cost_24h_usd"]).toBe(own!["revenue_24h_usd"]);
  expect(await east()).toMatchObject({ ...unknown, calls_24h: 1 });
  expect((await call(first, "demo/mixed")).status).toBe(200);
  const mixed = await east();
  expect(mixed["revenue_without_cost_24h_usd"]).toBeCloseTo(charged, 8);
  expect(mixed["cost_24h_usd"]).toBeGreaterThan(0);
  expect(mixed["margin_24h_usd"]).toBeCloseTo(mixed["revenue_24h_usd"]! - charged - mixed["cost_24h_usd"]!, 8);
  const overview = (await first.request("GET", "/v1/operator/overview", { key: finance.key })).json;
  expect(overview.revenue_without_cost_usd).toBeCloseTo(charged, 8);
  expect(overview.margin_usd).toBeCloseTo(overview.revenue_usd - charged - overview.cost_usd, 8);
  const { total } = (await first.request("GET", "/v1/operator/usage/summary", { key: finance.key })).json;
  expect(total.revenue_without_cost_usd).toBe(overview.revenue_without_cost_usd);
  expect([total.provider_cost_usd, total.margin_usd]).toEqual([overview.cost_usd, overview.margin_usd]);
});

describe("disabling", () => {
  test("a route is passed over in every process until it is enabled; each is a row of the log", async () => {
    const { json } = await post("north/disable", { upstream_model: "a", minutes: 5 });
    expect(json.disabled).toBeNull();
    expect(json.routes[0].disabled).toMatchObject({ reason: "a test", disabled_by: admin.account.email });
    for (const gateway of [first, second]) await expect.poll(() => routeOf(gateway, "demo/two")).toBe("south/b");
    expect((await post("north/enable", { upstream_model: "a" })).json.routes[0].disabled).toBeNull();
    for (const gateway of [first, second]) await expect.poll(() => routeOf(gateway, "demo/two")).toBe("north/a");
    expect((await post("north/enable", { upstream_model: "a" })).status).toBe(200);
    const rows = (await first.request("GET", "/v1/operator/audit?target=north/a", { key: admin.key })).json.data;
    expect(rows).toMatchObject([
      { action: "provider.enable", before: { disabled: { reason: "a test" } }, after: { disabled: null } },
      { action: "provider.disable", before: { disabled: null }, after: { disabled: { reason: "a test" } } },
    ]);
  });

  test("a model without another route answers 503 provider_unavailable, nothing is charged, and a process that starts knows it", async () => {
    expect((await post("west/disable", {})).json.disabled).toMatchObject({ until: expect.any(String) });
    await expect.poll(async () => codeOf(await call(first, "demo/one"))).toEqual([503, "provider_unavailable"]);
    const { spent } = await first.balance(caller);
    expect(codeOf(await call(first, "demo/one"))).toEqual([503, "provider_unavailable"]);
    expect((await first.balance(caller)).spent).toBe(spent);
    const third = await startGateway({ catalog, databaseUrl: first.databaseUrl });
    expect(codeOf(await call(third, "demo/one"))).toEqual([503, "provider_unavailable"]);
    await third.stop();
    const refused = await call(first, "demo/one");
    const { json } = await first.request("GET", `/v1/operator/calls/${refused.headers["x-request-id"] as string}`, { key: admin.key });
    expect(json.attempts).toMatchObject([{ route: "west/c", cause: "disabled" }]);
    await post("west/enable", {});
    await expect.poll(async () => (await call(first, "demo/one")).status).toBe(200);
  });

  test("it ends by itself, at the time that the last one named", async () => {
    await post("west/disable", { minutes: 5 });
    await expect.poll(async () => (await call(first, "demo/one")).status).toBe(503);
    await eventually(async () => {
      const soon = new Date(Date.now() + 1_500).toISOString(); // past already, on a machine that took longer to ask
      expect((await post("west/disable", { until: soon })).json.disabled).toMatchObject({ until: soon });
    });
    await expect.poll(async () => (await call(first, "demo/one")).status).toBe(200);
    expect((await list()).find(({ id }) => id === "west")!.disabled).toBeNull();
  });

  test("an unknown provider or route, a wrong time and a role that is too low: 404, 400, 403, and nothing changes", async () => {
    const until = (ms: number) => ({ until: new Date(Date.now() + ms).toISOString() });
    for (const path of ["nowhere/disable", "nowhere/enable"]) expect(codeOf(await post(path, {}))).toEqual([404, "provider_not_found"]);
    expect(codeOf(await post("north/disable", { upstream_model: "c" }))).toEqual([404, "provider_not_found"]);
    for (const wrong of [{ ...until(60_000), minutes: 1 }, until(-1_000), until(31 * 86_400_000), { minutes: 0 }])
      expect(codeOf(await post("north/disable", wrong))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await post("north/enable", { upstream_model: "" }))).toEqual([400, "invalid_parameter"]);
    for (const path of ["north/disable", "north/enable"])
      expect(codeOf(await post(path, {}, finance.key))).toEqual([403, "permission_denied"]);
    const { account, key } = await newOperator(first, "admin");
    await first.context.db.pool.query("update session set created_at = now() - interval '15 minutes' where account_id = $1", [
      account.accountId,
    ]);
    for (const path of ["north/disable", "north/enable"]) expect(codeOf(await post(path, {}, key))).toEqual([403, "confirmation_required"]);
    expect(
      (await list()).flatMap(({ disabled, routes }) => [disabled, ...routes.map((one) => one.disabled)]).every((one) => one === null),
    ).toBe(true);
  });
});
