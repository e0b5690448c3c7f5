// Routes with weights, as callers meet them: conversations stay at one route, accounts are spread, and a route that fails is replaced.
import { describe, expect, test } from "vitest";
import { askMessage } from "../messages/message-events.ts";
import { chatWorld, language } from "./chat-gateway.ts";

const shared = (name: string, directives = "") => [
  { model: `${name}-one${directives}`, weight: 1 },
  { model: `${name}-two`, weight: 1 },
];
const world = chatWorld([
  language("demo/shared", shared("shared")),
  language("demo/half-down", shared("half", "+sim-fail-503")),
  language("demo/behind", [{ model: "last" }, { model: "first", weight: 1 }]),
  {
    ...language("demo/embed", shared("embed")),
    type: "embedding",
    context_window: 8192,
    max_output_tokens: undefined,
    pricing: { mode: "per-token", input: 0.1 },
  },
]);
const models = () => world.sent().map(({ model }) => model);
const ask = (text: string, more: object[] = []) => ({
  messages: [{ role: "system", content: "Be brief." }, { role: "user", content: text }, ...more],
});

describe("a conversation", () => {
  test("stays at one route, streamed or not; its receipts say what was tried", async () => {
    const account = await world.account();
    const turns = [
      { role: "assistant", content: "Yes." },
      { role: "user", content: "And then?" },
    ];
    await world.chat(account, { model: "demo/shared", ...ask("Hello") });
    await world.chat(account, { model: "demo/shared", ...ask("Hello", turns) });
    const reply = await world.chat(account, { model: "demo/shared", ...ask("Hello", [...turns, ...turns]), stream: true });
    expect(models()).toHaveLength(3);
    expect(new Set(models()).size).toBe(1);
    expect(reply.headers["x-svc-fallback"]).toBeUndefined();
    const log = await world.logOf(reply);
    expect(log!.attempts).toMatchObject([{ outcome: "ok", route: expect.stringContaining(models()[0]!) as string }]);
    const id = reply.headers["x-request-id"] as string;
    const { json } = await world.gateway.request("GET", `/v1/usage/${id}`, { key: account.key });
    const route = { model: "demo/shared", score: null };
    expect(json.routing).toEqual({ by: "weight", failover: false, routes: [route, route] });
  });

  test("another one may go elsewhere: many use all routes, and so do many accounts with the same words", async () => {
    const account = await world.account();
    for (let turn = 0; turn < 24; turn++) await world.chat(account, { model: "demo/shared", ...ask(`Question ${turn}`) });
    expect(new Set(models())).toEqual(new Set(["shared-one", "shared-two"]));
    world.gateway.simulator.reset();
    for (let turn = 0; turn < 24; turn++) await world.chat(await world.account(), { model: "demo/shared", ...ask("The same") });
    expect(new Set(models())).toEqual(new Set(["shared-one", "shared-two"]));
  });

  test("of messages, too", async () => {
    const account = await world.account();
    await askMessage(world, account, { model: "demo/shared", system: "Be brief." });
    await askMessage(world, account, { model: "demo/shared", system: "Be brief.", stream: true });
    expect(models()).toHaveLength(2);
    expect(new Set(models()).size).toBe(1);
  });

  test("stays where it is when the mark of what to cache moves on, and a text becomes a part", async () => {
    const account = await world.account();
    const cached = { cache_control: { type: "ephemeral" } };
    const more = [
      { role: "assistant", content: "Yes." },
      { role: "user", content: [{ type: "text", text: "And then?", ...cached }] },
    ];
    for (let turn = 0; turn < 8; turn++) {
      const text = `Question ${turn}`;
      const part = { type: "text", text };
      const system = [{ type: "text", text: "Be brief.", ...cached }];
      await askMessage(world, account, { model: "demo/shared", system, messages: [{ role: "user", content: [{ ...part, ...cached }] }] });
      await askMessage(world, account, { model: "demo/shared", system, messages: [{ role: "user", content: [part] }, ...more] });
      await askMessage(world, account, { model: "demo/shared", system: "Be brief.", messages: [{ role: "user", content: text }, ...more] });
      const used = models();
      expect(used).toHaveLength(3);
      expect(new Set(used).size, text).toBe(1);
      world.gateway.simulator.reset();
    }
  });

  test.each([
    ["responses", "/v1/responses", (text: string) => ({ instructions: "Be brief.", input: text })],
    ["completions", "/v1/completions", (text: string) => ({ prompt: text })],
  ])("of %s, too: each stays, and many use all routes", async (_, path, body) => {
    const { key } = await world.account();
    const used = new Set<string>();
    for (let turn = 0; turn < 24; turn++) {
      world.gateway.simulator.reset();
      for (let again = 0; again < 2; again++) {
        const reply = await world.gateway.request("POST", path, { key, body: { model: "demo/shared", ...body(`Question ${turn}`) } });
        expect(reply.status, reply.text).toBe(200);
      }
      const [one, other] = models();
      expect(other).toBe(one);
      used.add(one!);
    }
    expect(used).toEqual(new Set(["shared-one", "shared-two"]));
  });
});

test("a route that fails: the other serves, and the charge is the model's", async () => {
  const account = await world.account();
  for (let turn = 0; turn < 12; turn++) {
    const reply = await world.chat(account, { model: "demo/half-down", ...ask(`Question ${turn}`) });
    expect(reply.status, reply.text).toBe(200);
    const { attempts } = (await world.logOf(reply))!;
    expect(attempts.at(-1)).toMatchObject({ outcome: "ok", route: "south/half-two" });
    expect(reply.headers["x-svc-fallback-layer"]).toBe(attempts.length > 1 ? "1" : undefined);
  }
});

test("a route without a weight comes after those with one, and what is asked first is no fallback", async () => {
  const reply = await world.chat(await world.account(), { model: "demo/behind" });
  expect([models(), reply.headers["x-svc-fallback"]]).toEqual([["first"], undefined]);
});

test("requests without a prompt's beginning are spread one by one", async () => {
  const { key } = await world.account();
  for (let turn = 0; turn < 24; turn++)
    await world.gateway.request("POST", "/v1/embeddings", { key, body: { model: "demo/embed", input: "the same" } });
  expect(new Set(models())).toEqual(new Set(["embed-one", "embed-two"]));
});

test("a first message of very many parts is read no further than its beginning", async () => {
  const account = await world.account();
  const many = Array.from({ length: 200_000 }, () => ({ type: "text", text: "" }));
  const content = [{ type: "text", text: "Hello" }, ...many];
  for (let turn = 0; turn < 2; turn++) {
    const reply = await world.chat(account, { model: "demo/shared", messages: [{ role: "user", content }] });
    expect(reply.status, reply.text.slice(0, 300)).toBeLessThan(500);
  }
});
