// An answer that is not streamed and larger than one may be. Where its own request made it so, every route would make such a one: one is asked, the
// caller learns which field it was, and it is no fault of the route. Else it is an answer that can't be read, like others.
import { expect, test } from "vitest";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

const huge = "huge+sim-big-1048576+sim-tokens-40"; // of 40 MB
const half = "half+sim-big-1048576+sim-tokens-18"; // each answer
const cost = { input: 1, output: 2 };
const routed = (at: string) => ({ model: `${at}-${huge}`, cost });
const north = (model: string) => ({ provider: "north", model, cost });
const world = chatWorld(
  [
    language("demo/huge", ["first", "second", "third"].map(routed)),
    language("demo/helped", [`lone-${huge}`, "second"]),
    language("demo/several", [{ model: half, cost }, "second"]),
    language("demo/completes", [{ provider: "north", completions: true, model: half, cost }, "second"]),
    { ...language("demo/small", [north("small+sim-503")]), fallbacks: ["demo/huge"] },
  ],
  { providers: [provider("north"), provider("south"), provider("west")] },
);

const prompt = "Hello";
test.each([
  ["/v1/chat/completions", { messages: hello, logprobs: true, top_logprobs: 20 }, "top_logprobs"],
  ["/v1/chat/completions", { messages: hello, logprobs: true }, "logprobs"],
  ["/v1/responses", { input: prompt, top_logprobs: 20 }, "top_logprobs"],
  ["/v1/responses", { input: prompt, include: ["message.output_text.logprobs"] }, "include"],
  ["/v1/completions", { prompt, logprobs: 5 }, "logprobs"],
])(
  "400 request_rejected: %s, %j: one route is asked, and %s is named; free, its expense logged up to the cap",
  async (path, body, param) => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", path, { key: account.key, body: { model: "demo/huge", ...body } });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "request_rejected", param]);
    expect(reply.json.error.message).toMatch(new RegExp(`ask for less by ${param} or max_tokens`));
    await world.expectUntouched(account);
    const { attempts } = (await world.logOf(reply))!;
    const lost = { route: `north/first-${huge}`, outcome: "rejected", cause: "too_large" };
    expect(attempts).toMatchObject([lost]);
    const answers = "n" in body ? Number(body.n) : 1;
    expect(Number((attempts[0] as unknown as { cost: string }).cost)).toBeGreaterThanOrEqual(1000 * answers * 200);
    expect(world.gateway.context.breakers.failing()).toEqual([]);
  },
);

test.each([
  ["/v1/chat/completions", "several", { messages: hello, n: 2 }, "n"],
  ["/v1/completions", "several", { prompt, n: 2 }, "n"],
  ["/v1/completions", "completes", { prompt, n: 2 }, "n"],
  ["/v1/completions", "completes", { prompt, n: 2, best_of: 3 }, "best_of"],
  ["/v1/completions", "completes", { prompt: [prompt, prompt] }, "prompt"],
])("several answers together, %s of demo/%s: %j", async (path, model, body, param) => {
  const { key } = await world.account();
  const reply = await world.gateway.request("POST", path, { key, body: { model: `demo/${model}`, ...body } });
  expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "request_rejected", param]);
  const { attempts } = (await world.logOf(reply))!;
  expect(attempts).toMatchObject([{ outcome: "rejected", cause: "too_large" }]);
  expect(Number((attempts[0] as unknown as { cost: string }).cost)).toBeGreaterThanOrEqual(1000 * 2 * 200);
});

test("of a fallback model after an outage, too: no further route is asked", async () => {
  const reply = await world.chat(await world.account(), { model: "demo/small", logprobs: true });
  expect([reply.status, reply.json.error.code]).toEqual([400, "request_rejected"]);
  expect((await world.logOf(reply))!.attempts).toHaveLength(2);
});

test("one that nothing in its request made so large is unreadable: another route answers", async () => {
  const reply = await world.chat(await world.account(), { model: "demo/helped" });
  expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
  expect((await world.logOf(reply))!.attempts).toMatchObject([{ outcome: "unreadable", cause: "too_large" }, { outcome: "ok" }]);
  expect(world.gateway.context.breakers.failing().map(({ routeId }) => routeId)).toContain(`north/lone-${huge}`);
});
