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

test("operators see by what the routes were sorted; callers see neither names nor scores", async () => {
  const reply = await ask("demo/by-price");
  const id = reply.headers["x-request-id"] as string;
  const { key } = await newOperator(world.gateway, "admin");
  const shown = await world.gateway.request("GET", `/v1/operator/calls/${id}`, { key });
  expect(shown.json.attempts[0].choice).toMatchObject({ by: "price", routes: [{ route: "south/cheap" }, { route: "north/dear" }, {}] });
  const receipt: TestReply = await world.gateway.request("GET", `/v1/usage/${id}`, { key: account.key });
  expect(receipt.status).toBe(200);
  expect(receipt.text).not.toMatch(/choice|score|south/);
});

test("route_by is refused on a model that is not billed by token", () => {
  const image = { id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, route_by: "price" };
  const file = { providers: [provider("north")], models: [{ ...image, routes: [{ provider: "north", model: "a" }] }] };
  expect(checkCatalog(JSON.stringify(file)).problems).toEqual([{ line: 1, message: expect.stringMatching(/billed by token/) as string }]);
});
