// Routes that are chosen by numbers: what they cost the operator, how soon and how fast they answered lately.
import { beforeEach, describe, expect, test } from "vitest";
import { checkCatalog } from "../../../src/catalog/load.ts";
import { newOperator } from "../../support/operators.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, language, provider } from "./chat-gateway.ts";

const cost = (input: number) => ({ cost: { input, output: input } });
const routes = [{ model: "dear", ...cost(0.4) }, { model: "cheap", ...cost(0.1) }, "unknown"];
const world = chatWorld(
  [
    language("demo/plain", routes),
    language("demo/by-price", routes, { route_by: "price" }),
    language("demo/by-latency", ["late-a", "late-b", "late-c"], { route_by: "latency" }),
    language("demo/by-speed", ["speed-a", "speed-b"], { route_by: "throughput" }),
    language("demo/sticky", ["sticky-a", { model: "sticky-b", weight: 1, ...cost(0.4) }, { model: "sticky-c", ...cost(0.1) }], {
      route_by: "price",
    }),
    language(
      "demo/broken",
      [
        { model: "broken-a", ...cost(0.4) },
        { model: "broken-b+sim-fail-503", ...cost(0.1) },
      ],
      { route_by: "price" },
    ),
  ],
  { providers: [provider("north", { label: "blue" }), provider("south"), provider("west")] },
);
const models = () => world.sent().map(({ model }) => model);
let account: TestAccount;
beforeEach(async () => void (account = await world.account()));
const ask = (model: string, more: object = {}) => world.chat(account, { model, ...more });
const figures = () => world.gateway.context.routeFigures;
/** Each was measured: no request has to find out about it. */
const measured = (of: Record<string, number>) => Object.entries(of).forEach(([route, ms]) => figures().answered(route, ms, 1));

describe("price", () => {
  test("a request's sort: the route that costs the operator least is asked first, an unknown cost comes last", async () => {
    const reply = await ask("demo/plain", { routing: { sort: "price" } });
    expect([models(), reply.headers["x-svc-fallback"]]).toEqual([["cheap"], undefined]);
    expect(await world.logOf(reply)).toMatchObject({
      attempts: [
        { choice: { by: "price", routes: [{ route: "south/cheap" }, { route: "north/dear" }, { route: "west/unknown", score: null }] } },
      ],
    });
  });

  test("the model's route_by does so by itself; a request's order comes before it", async () => {
    await ask("demo/by-price");
    await ask("demo/by-price", { routing: { order: ["blue"] } });
    expect(models()).toEqual(["cheap", "dear"]);
  });

  test("without either the catalog's order holds, and nothing is noted", async () => {
    const reply = await ask("demo/plain");
    expect(models()).toEqual(["dear"]);
    expect((await world.logOf(reply))!.attempts[0]).not.toHaveProperty("choice");
  });

  test("routes with a weight stay first, unless the request sorts", async () => {
    await ask("demo/sticky");
    await ask("demo/sticky", { routing: { sort: "price" } });
    expect(models()).toEqual(["sticky-b", "sticky-c"]);
  });

  test("health comes first: a route whose breaker is open is passed over; the charge is the model's", async () => {
    for (let turn = 0; turn < 5; turn++) await ask("demo/broken");
    world.gateway.simulator.reset();
    const reply = await ask("demo/broken");
    expect(models()).toEqual(["broken-a"]);
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
    expect((await world.logOf(reply))!.attempts.map(({ outcome }) => outcome)).toEqual(["breaker_open", "ok"]);
  });
});

test("latency: each route is measured once, then the one that answers soonest is asked", async () => {
  for (let turn = 0; turn < 3; turn++) await ask("demo/by-latency");
  expect(new Set(models())).toEqual(new Set(["late-a", "late-b", "late-c"]));
  world.gateway.simulator.reset();
  for (let turn = 0; turn < 40; turn++) measured({ "north/late-a": 900, "south/late-b": 50_000, "west/late-c": 9 });
  await ask("demo/by-latency");
  expect(models()).toEqual(["late-c"]);
});

test("throughput: the route that wrote most tokens a second is asked", async () => {
  figures().wrote("north/speed-a", 100, 10_000);
  figures().wrote("south/speed-b", 100, 500);
  await ask("demo/by-speed", { stream: true });
  expect(models()).toEqual(["speed-b"]);
});

test("the first record of a stream is a measurement of its route", async () => {
  for (let turn = 0; turn < 2; turn++) await ask("demo/plain", { stream: true, routing: { sort: "latency" } });
  expect(figures().of("north/dear", "firstMs")).toBeGreaterThanOrEqual(0);
  expect(figures().of("south/cheap", "firstMs")).toBeGreaterThanOrEqual(0);
});

test("operators see by what the routes were sorted, and what each costs", async () => {
  const reply = await ask("demo/by-price");
  const id = reply.headers["x-request-id"] as string;
  const { key } = await newOperator(world.gateway, "admin");
  const shown = await world.gateway.request("GET", `/v1/operator/calls/${id}`, { key });
  expect(shown.json.attempts[0].choice).toMatchObject({ by: "price", routes: [{ route: "south/cheap" }, { route: "north/dear" }, {}] });
});

describe("the receipt says how the route was chosen, by labels, and names no provider", () => {
  const receiptOf = async (reply: TestReply) => {
    const receipt = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"] as string}`, { key: account.key });
    expect(receipt.text).not.toMatch(/north|south|west/);
    return receipt.json as { attempts: object[]; routing?: object };
  };
  const model = "demo/by-price";

  test("price: scores are multiples of the cheapest, never what the operator pays", async () => {
    const { routing, attempts } = await receiptOf(await ask(model));
    expect(routing).toEqual({
      by: "price",
      failover: false,
      routes: [
        { model, score: 1 },
        { model, label: "blue", score: 4 },
        { model, score: null },
      ],
    });
    expect(attempts[0]).not.toHaveProperty("label");
  });

  test("an order that the request gave comes first; the attempt has its label", async () => {
    const { routing, attempts } = await receiptOf(await ask(model, { routing: { order: ["blue"] } }));
    expect(routing).toMatchObject({ by: "price", first: "order", routes: [{ label: "blue", score: 4 }, { score: 1 }, {}] });
    expect(attempts).toMatchObject([{ label: "blue", outcome: "ok" }]);
    expect((await receiptOf(await ask("demo/plain", { routing: { order: ["blue"] } }))).routing).toMatchObject({ by: "order" });
  });

  test("measured: milliseconds, and null for a route that was not", async () => {
    measured({ "north/dear": 30, "south/cheap": 20 });
    expect(figures().probes("west/unknown")).toBe(true);
    const { routing } = await receiptOf(await ask("demo/plain", { routing: { sort: "latency" } }));
    const score = expect.any(Number) as number;
    expect(routing).toMatchObject({ by: "latency", routes: [{ score }, { score }, { score: null }] });
  });

  test("routes with a weight stay first of those that the catalog sorts", async () => {
    const { routing } = await receiptOf(await ask("demo/sticky"));
    expect(routing).toMatchObject({ by: "price", first: "weight", routes: [{ score: 4 }, { score: 1 }, { label: "blue", score: null }] });
  });

  test("routes that the request left out are no candidates", async () => {
    const { routing } = await receiptOf(await ask("demo/plain", { routing: { ignore: ["blue"] } }));
    expect(routing).toEqual({ by: "catalog", failover: false, routes: [1, 2].map(() => ({ model: "demo/plain", score: null })) });
  });

  test("another route answered because the first failed", async () => {
    const { routing, attempts } = await receiptOf(await ask("demo/broken"));
    expect(routing).toMatchObject({ by: "price", failover: true, routes: [{ score: 1 }, { label: "blue", score: 4 }] });
    expect(attempts.at(-1)).toMatchObject({ label: "blue", outcome: "ok" });
  });

  test("of a plain request it says nothing, and the log's row holds nothing more", async () => {
    const reply = await ask("demo/plain", { routing: { max_price: { prompt: 100 } } });
    const receipt = await receiptOf(reply);
    expect(receipt).not.toHaveProperty("routing");
    expect(receipt.attempts[0]).not.toHaveProperty("label");
    expect(Object.keys((await world.logOf(reply))!.attempts[0]!)).not.toContain("choice");
  });
});

test("route_by is refused on a model that is not billed by token", () => {
  const image = { id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, route_by: "price" };
  const file = { providers: [provider("north")], models: [{ ...image, routes: [{ provider: "north", model: "a" }] }] };
  expect(checkCatalog(JSON.stringify(file)).problems).toEqual([{ line: 1, message: expect.stringMatching(/billed by token/) as string }]);
});
