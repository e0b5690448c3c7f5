// POST /v1/chat/completions when a route fails: which model answers instead, what the headers say, what it costs.
import { describe, expect, test } from "vitest";
import { chatWorld, costUsd, language, prices, provider, recordsOf } from "./chat-gateway.ts";

const dear = { pricing: { mode: "per-token", input: 5, output: 20 } };
const cheap = { pricing: { mode: "per-token", input: 0.2, output: 0.3 } };
const free = { pricing: { mode: "per-token", input: 0.1, output: 0.4 } };
/** Every test has routes of its own, since circuit breakers keep their state. */
const faults = [
  "fail-503",
  "fail-500",
  "429",
  "401",
  "402",
  "403",
  "404",
  "408",
  "quota",
  "html",
  "empty",
  "bad-json",
  "200-error",
  "reset",
  "cut-after-2",
  "end-after-2",
  "refuse",
  "refuse-403",
];
const world = chatWorld(
  [
    ...faults.map((fault) => language(`fault/${fault}`, [`chat+sim-${fault}`, "chat-second"])),
    ...["200-error", "bad-json", "empty", "cut-after-0", "end-after-0"].map((fault) =>
      language(`first/${fault}`, [`stream+sim-${fault}`, "chat-second"]),
    ),
    language("demo/slow", [{ provider: "impatient", model: "chat+sim-hang" }, "chat-second"]),
    language("demo/reduced", ["layer2+sim-fail-503", { model: "small-copy", reduced_precision: "fp8" }]),
    language("demo/third", ["third1+sim-fail-503", "third2+sim-429", "third3"]),
    language("demo/to-dear", ["dear+sim-fail-503"], { fallbacks: ["other/dear"] }),
    language("demo/to-cheap", ["cheap+sim-fail-503", "cheap+sim-fail-500"], { fallbacks: ["other/cheap"] }),
    language("demo/able", ["able+sim-fail-503"], {
      supports_tools: true,
      supports_structured_outputs: true,
      supports_vision: true,
      fallbacks: ["other/cheap", "other/able", "other/dear"],
    }),
    language("demo/past-paused", ["paused+sim-fail-503"], { fallbacks: ["other/paused", "other/cheap"] }),
    language("demo/free", ["free+sim-fail-503"], { ...free, fallbacks: ["other/cheap", "other/free"] }),
    language("demo/thinking", ["reason+sim-fail-503"], { supports_reasoning: true, fallbacks: ["other/cheap"] }),
    language("demo/breaking", ["breaking+sim-fail-503", "breaking-second"]),
    language("demo/all-open", ["all-open+sim-fail-503", "all-open-2+sim-fail-503"]),
    language("demo/limited", ["limited+sim-429", "limited-second"]),
    language("demo/flaky", ["flaky+sim-flaky-1"]),
    language("other/dear", ["dear"], dear),
    language("other/cheap", ["cheap"], cheap),
    language("other/able", ["able"], { supports_tools: true, supports_structured_outputs: true, supports_vision: true }),
    language("other/free", ["free"], free),
    language("other/paused", ["paused"], { state: { paused: true } }),
  ],
  { providers: [...["north", "south", "west"].map((id) => provider(id)), provider("impatient", { timeout_ms: 100 })] },
);

describe("200, layer 1: same model, other provider", () => {
  test.each(faults)("sim-%s on the first route: the second answers", async (fault) => {
    const account = await world.account();
    const reply = await world.chat(account, { model: `fault/${fault}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-model": `fault/${fault}`, "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
    expect(reply.headers).not.toHaveProperty("x-svc-served-model");
    expect(reply.json.usage.cost).toBe(costUsd(reply.json.usage, prices));
    const row = (await world.logOf(reply))!;
    expect(row).toMatchObject({ fallback_layer: 1, served_model: null });
    expect(row.attempts.map(({ route }) => route)).toEqual([`north/chat+sim-${fault}`, "south/chat-second"]);
    expect(row.attempts[0]!.outcome).not.toBe("ok");
    expect(row.attempts[1]).toMatchObject({ outcome: "ok", status: 200 });
  });

  test.each(["200-error", "bad-json", "empty", "cut-after-0", "end-after-0"])(
    "a stream whose first record is sim-%s: the second answers",
    async (fault) => {
      const reply = await world.chat(await world.account(), { model: `first/${fault}`, stream: true });
      expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
      expect(recordsOf(reply).at(-2).choices[0].finish_reason).toBe("stop");
    },
  );

  test("a provider's time-out passes: the second answers", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/slow" });
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
    expect((await world.logOf(reply))!.attempts[0]).toMatchObject({ outcome: "unavailable", status: null });
  });

  test("each attempt is logged with its status, why it failed and the price it would be charged at", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/third" });
    const cost_basis = { ...prices, per_request: 0 };
    const detail = expect.stringMatching(/\w/) as string;
    const common = { model: "demo/third", latency_ms: expect.any(Number), cost_basis };
    expect((await world.logOf(reply))!.attempts).toEqual([
      { ...common, route: "north/third1+sim-fail-503", outcome: "unavailable", status: 503, cause: "http_503", detail },
      { ...common, route: "south/third2+sim-429", outcome: "rate_limited", status: 429, cause: "http_429", detail },
      { ...common, route: "west/third3", outcome: "ok", status: 200, response_id: expect.stringMatching(/^chatcmpl-/) },
    ]);
  });

  test("the same route is never tried twice", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/flaky" });
    expect(reply.status).toBe(503);
    expect(world.sent()).toHaveLength(1);
  });
});

describe("200, layer 2: same model, reduced precision", () => {
  test("answers and says so", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/reduced" });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/reduced", "x-svc-fallback": "true", "x-svc-fallback-layer": "2" });
    expect(reply.headers).not.toHaveProperty("x-svc-served-model");
    expect(await world.logOf(reply)).toMatchObject({ fallback_layer: 2, served_model: null });
  });
});

describe("200, layer 3: another model", () => {
  test("answers under the name that was asked for, and x-svc-served-model names it", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/to-cheap" });
    expect(reply.json.model).toBe("demo/to-cheap");
    expect(reply.headers).toMatchObject({
      "x-svc-model": "demo/to-cheap",
      "x-svc-fallback": "true",
      "x-svc-fallback-layer": "3",
      "x-svc-served-model": "other/cheap",
    });
    const row = (await world.logOf(reply))!;
    expect(row).toMatchObject({ model: "demo/to-cheap", served_model: "other/cheap", fallback_layer: 3 });
    expect(row.attempts.map(({ model }) => model)).toEqual(["demo/to-cheap", "demo/to-cheap", "other/cheap"]);
  });

  test("a cheaper one is charged at its own price", async () => {
    const account = await world.account();
    const { json } = await world.chat(account, { model: "demo/to-cheap" });
    expect(json.usage.cost).toBe(costUsd(json.usage, { input: 0.2, output: 0.3 }));
    expect((await world.gateway.balance(account)).spent).toBe(json.usage.cost);
  });

  test("a dearer one costs what the requested one would have cost", async () => {
    const account = await world.account();
    const { json, headers } = await world.chat(account, { model: "demo/to-dear" });
    expect(headers["x-svc-served-model"]).toBe("other/dear");
    expect(json.usage.cost).toBe(costUsd(json.usage, prices));
    expect((await world.gateway.balance(account)).spent).toBe(json.usage.cost);
  });

  const tool = { type: "function", function: { name: "look" } };
  const image = [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }];
  test.each([
    ["plain text", {}, "other/cheap"],
    ["tools", { tools: [tool] }, "other/able"],
    ["functions", { functions: [tool.function] }, "other/able"],
    ["a structured answer", { response_format: { type: "json_object" } }, "other/able"],
    ["an image", { messages: image }, "other/able"],
  ])("for %s is the first that can do it", async (_, body, served) => {
    const reply = await world.chat(await world.account(), { model: "demo/able", ...body });
    expect(reply.headers["x-svc-served-model"]).toBe(served);
  });

  test("is never a paused one", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/past-paused" });
    expect(reply.headers["x-svc-served-model"]).toBe("other/cheap");
  });

  test("of an account that never paid in is one of the free tier", async () => {
    const reply = await world.chat(await world.account({ signupCredit: true }), { model: "demo/free" });
    expect(reply.headers["x-svc-served-model"]).toBe("other/free");
  });

  test("that does not think gets no reasoning controls", async () => {
    await world.chat(await world.account(), { model: "demo/thinking", reasoning_effort: "high" });
    const [asked, served] = world.sent();
    expect(asked).toHaveProperty("reasoning_effort", "high");
    expect(served).toMatchObject({ model: "cheap" });
    expect(served).not.toHaveProperty("reasoning_effort");
  });

  test("streams under the requested name too", async () => {
    const reply = await world.chat(await world.account(), {
      model: "demo/to-cheap",
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(reply.headers["x-svc-served-model"]).toBe("other/cheap");
    const records = recordsOf(reply).slice(0, -1);
    expect(new Set(records.map((record) => record.model))).toEqual(new Set(["demo/to-cheap"]));
    expect(records.at(-1).usage.cost).toBe(costUsd(records.at(-1).usage, { input: 0.2, output: 0.3 }));
  });
});

describe("the breaker", () => {
  const calls = (model: string) => world.sent().filter((body) => body.model === model).length;

  test("a route that failed five times in a row is passed over", async () => {
    const account = await world.account();
    for (let call = 0; call < 7; call++) expect((await world.chat(account, { model: "demo/breaking" })).status).toBe(200);
    expect(calls("breaking+sim-fail-503")).toBe(5);
    expect(calls("breaking-second")).toBe(7);
  });

  test("when every route's is open, the first is tried anyway", async () => {
    const account = await world.account();
    for (let call = 0; call < 6; call++) expect((await world.chat(account, { model: "demo/all-open" })).status).toBe(503);
    expect([calls("all-open+sim-fail-503"), calls("all-open-2+sim-fail-503")]).toEqual([6, 5]);
  });

  test("a 429 never opens it", async () => {
    const account = await world.account();
    for (let call = 0; call < 7; call++) await world.chat(account, { model: "demo/limited" });
    expect(calls("limited+sim-429")).toBe(7);
  });
});
