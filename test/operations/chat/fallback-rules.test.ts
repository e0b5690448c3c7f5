// What a fallback may decide: its rejection is never final after an outage of others, and it never gets a request that it has no room for.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";
import { askMessage } from "../messages/message-events.ts";
import { respond } from "../responses/responses-gateway.ts";

const north = (model: string) => ({ provider: "north", model });
const south = (model: string) => ({ provider: "south", model });
const quay = (model: string) => ({ provider: "quay", model });
const world = chatWorld(
  [
    language("demo/dialects", [north("a1+sim-fail-503"), quay("a2"), south("a3")]),
    language("demo/no-third", [north("b1+sim-fail-503"), quay("b2")]),
    language("demo/first-says", [quay("c1"), north("c2")]),
    language("demo/gone-before", [north("d1+sim-404"), quay("d2"), south("d3")]),
    language("demo/claude-first", [quay("e1+sim-fail-529"), north("e2"), south("e3")]),
    language("demo/own-rejects", [north("f1+sim-fail-503"), south("f2+sim-reject"), quay("f3")], { fallbacks: ["other/good"] }),
    language("demo/other-rejects", [north("g1+sim-fail-503")], { fallbacks: ["other/rejects", "other/good"] }),
    language("demo/others-reject", [north("h1+sim-429")], { fallbacks: ["other/rejects"] }),
    language("demo/passed-over", [north("i1+sim-fail-503"), quay("i2")]),
    language("demo/alone", [quay("j1+sim-fail-503")]),
    language("demo/roomy", [north("k1+sim-fail-503")], { fallbacks: ["other/narrow", "other/good"] }),
    language("other/rejects", [north("rejects+sim-reject-422")]),
    language("other/good", [north("good")]),
    language("other/narrow", [north("narrow")], { context_window: 500, max_output_tokens: 400 }),
  ],
  {
    providers: [provider("north"), provider("south"), provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" })],
  },
);

const twice = { n: 2 };

describe("a request that a route's dialect can't say", () => {
  test("goes on to the next route where one before it is out", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/dialects", ...twice });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    expect(reply.json.choices).toHaveLength(2);
    expect((await world.logOf(reply))!.attempts).toMatchObject([
      { route: "north/a1+sim-fail-503", outcome: "unavailable", status: 503 },
      { route: "quay/a2", outcome: "rejected", status: null },
      { route: "south/a3", outcome: "ok", status: 200 },
    ]);
  });

  test("also where the request came in another dialect", async () => {
    const begun = [...hello, { role: "assistant", content: "Hi, I" }];
    const message = await askMessage(world, await world.account(), { model: "demo/claude-first", messages: begun });
    expect([message.status, message.json.error.code]).toEqual([503, "provider_unavailable"]);
    expect((await world.logOf(message))!.attempts).toMatchObject([
      { outcome: "unavailable" },
      { outcome: "rejected" },
      { outcome: "rejected" },
    ]);
    const input = [
      { role: "user", content: [{ type: "input_text", text: "Hello" }] },
      { role: "assistant", content: "Hi, I" },
    ];
    const response = await respond(world, await world.account(), { model: "demo/dialects", input });
    expect([response.status, response.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
  });

  test("is 503 provider_unavailable, retryable, where no other route serves: nothing is charged", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/no-third", ...twice });
    expect([reply.status, reply.json.error.code]).toEqual([503, "provider_unavailable"]);
    expect(reply.headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
    await world.expectUntouched(account);
  });

  test("is 503 as well where the route that could take it was passed over", async () => {
    const account = await world.account();
    for (let call = 0; call < 5; call++) await world.chat(account, { model: "demo/passed-over" });
    const reply = await world.chat(account, { model: "demo/passed-over", ...twice });
    expect([reply.status, reply.json.error.code]).toEqual([503, "provider_unavailable"]);
    expect((await world.logOf(reply))!.attempts).toMatchObject([{ outcome: "breaker_open" }, { outcome: "rejected" }]);
  });

  test("is 400 request_rejected where its own route is the only one, though that was passed over", async () => {
    const account = await world.account();
    for (let call = 0; call < 5; call++) await world.chat(account, { model: "demo/alone" });
    const reply = await world.chat(account, { model: "demo/alone", ...twice });
    expect([reply.status, reply.json.error.code]).toEqual([400, "request_rejected"]);
  });

  test.each(["demo/first-says", "demo/gone-before"])("is 400 request_rejected where no outage came before it: %s", async (model) => {
    const reply = await world.chat(await world.account(), { model, ...twice });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "request_rejected", "n"]);
  });
});

describe("what an upstream rejects", () => {
  test("at a route of the model that was asked for is final, also after an outage", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/own-rejects" });
    expect([reply.status, reply.json.error.code]).toEqual([400, "request_rejected"]);
    expect(world.sent()).toHaveLength(2);
  });

  test("at a fallback model leads to the next one", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/other-rejects" });
    expect([reply.status, reply.headers["x-svc-served-model"]]).toEqual([200, "other/good"]);
    expect((await world.logOf(reply))!.attempts).toMatchObject([{ status: 503 }, { outcome: "rejected", status: 422 }, { outcome: "ok" }]);
  });

  test("at another model is no answer to an outage: 503 provider_unavailable", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/others-reject" });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([503, "provider_unavailable", null]);
    await world.expectUntouched(account);
  });
});

describe("a model serves as fallback only where the request fits into its context window", () => {
  /** Some 200 tokens. */
  const messages = [{ role: "user", content: "word ".repeat(160) }];

  test.each([
    ["what fits", { messages }, "other/narrow"],
    ["a longer prompt", { messages: [...messages, ...messages, ...messages] }, "other/good"],
    ["a prompt and a cap that fit", { messages, max_tokens: 200 }, "other/narrow"],
    ["a prompt and a cap that fit alone, not together", { messages, max_tokens: 350 }, "other/good"],
  ])("%s", async (_, body, served) => {
    const reply = await world.chat(await world.account(), { model: "demo/roomy", ...body });
    expect([reply.status, reply.headers["x-svc-served-model"]]).toEqual([200, served]);
  });
});
