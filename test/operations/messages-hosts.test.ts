// POST /v1/messages over hosts of the same dialect: as near to pass-through as billing allows (WIRE.md 5, 7.1, 11.1).
import { describe, expect, test } from "vitest";
import { chatWorld, language, prices, provider } from "./chat-gateway.ts";
import { askMessage, eventsOf, hello, messageOf } from "./message-events.ts";

const quay = (model: string, more: object = {}) => ({ provider: "quay", model, ...more });
const north = (model: string) => ({ provider: "north", model });
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };

const world = chatWorld(
  [
    language("demo/deep", [quay("deep")], { ...able, max_output_tokens: 8000 }),
    language("demo/newer", [quay("newer+sim-adaptive-only", { thinking: "adaptive" })], able),
    language("demo/interleaved", [quay("inter+sim-interleaved+sim-redacted+sim-citations")], { ...able, max_output_tokens: 8000 }),
    language("demo/cached", [quay("cached+sim-prompt-tokens-1000+sim-cached-700+sim-cache-write-200")]),
    language("demo/rejecting", [quay("rejecting+sim-context")]),
    language("demo/broken", [quay("broken+sim-error-after-6")]),
    language("demo/there", [quay("there+sim-529"), north("second")]),
    language("demo/back", [north("back+sim-fail-503"), quay("second")]),
  ],
  { providers: [provider("north"), provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" })] },
);

const tools = [{ name: "get_weather", input_schema: { type: "object", properties: { place: { type: "string" } } } }];
const budget = { thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 4000 };

describe("answers", () => {
  test.each([
    ["demo/deep", {}],
    ["demo/deep", budget],
    ["demo/newer", budget],
    ["demo/interleaved", budget],
    ["demo/deep", { tools, tool_choice: { type: "any" } }],
    ["demo/deep", { output_config: { format: { type: "json_schema", schema: { type: "object", additionalProperties: false } } } }],
  ])("%s %j: whole and streamed are one message at one price", async (model, body) => {
    const account = await world.account();
    const whole = (await askMessage(world, account, { model, ...body })).json;
    const streamed = messageOf(eventsOf(await askMessage(world, account, { model, ...body, stream: true })));
    for (const message of [whole, streamed]) for (const block of message.content) if (block.citations == null) delete block.citations; // a stream opens without
    expect(streamed.content).toEqual(whole.content);
    expect(streamed).toMatchObject({ stop_reason: whole.stop_reason, usage: whole.usage, model });
    for (const block of whole.content) if (block.type === "thinking") expect(block.signature).toBe("");
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * whole.usage.cost, 10);
  });

  test("cache buckets, in the start of a stream already, and charged apart", async () => {
    const events = eventsOf(await askMessage(world, await world.account(), { model: "demo/cached", stream: true }));
    const cached = { input_tokens: 100, cache_creation_input_tokens: 200, cache_read_input_tokens: 700 };
    expect(events[0]!.data.message.usage).toEqual({ ...cached, output_tokens: 0 });
    const { usage } = messageOf(events);
    expect(usage).toMatchObject(cached);
    const exact = (300 * prices.input + 700 * prices.cached + usage.output_tokens * prices.output) / 1e6;
    expect(usage.cost).toBeCloseTo(exact, 8);
  });

  test("what this gateway answered can be sent back: thinking and calls in the history, on either generation", async () => {
    for (const model of ["demo/deep", "demo/newer"]) {
      const account = await world.account();
      const ask = [{ role: "user", content: "use get_weather please" }];
      const first = (await askMessage(world, account, { model, messages: ask, tools, ...budget })).json;
      expect(first).toMatchObject({ stop_reason: "tool_use", content: [{ type: "thinking" }, { type: "tool_use" }] });
      const result = { type: "tool_result", tool_use_id: first.content[1].id, content: "Rain." };
      const messages = [...ask, { role: "assistant", content: first.content }, { role: "user", content: [result] }];
      const second = await askMessage(world, account, { model, messages, tools, ...budget });
      expect([second.status, second.json.stop_reason]).toEqual([200, "end_turn"]);
      expect(JSON.stringify(world.sent().at(-1))).not.toMatch(/budget_tokens|"signature"/);
    }
  });

  test("marks of the prompt's cache go through", async () => {
    const cache_control = { type: "ephemeral", ttl: "1h" };
    const system = [{ type: "text", text: "Be brief.", cache_control }];
    await askMessage(world, await world.account(), { model: "demo/deep", system });
    expect(world.sent()[0]).toMatchObject({ system, messages: hello });
  });
});

describe("failures", () => {
  test("400 request_rejected: the upstream's own words, in Anthropic's envelope", async () => {
    const reply = await askMessage(world, await world.account(), { model: "demo/rejecting" });
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ type: "error", error: { type: "invalid_request_error", code: "request_rejected" } });
    expect(reply.json.error.message).toContain("prompt is too long: 5000 tokens > 4096 maximum");
  });

  test("a stream that broke ends with an error event, and nothing is charged", async () => {
    const account = await world.account();
    const events = eventsOf(await askMessage(world, account, { model: "demo/broken", stream: true }));
    expect(events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "stream_interrupted" } } });
    await world.expectUntouched(account);
  });

  test.each(["demo/there", "demo/back"])("%s: the other dialect's host answers, whole and streamed", async (model) => {
    for (const stream of [false, true]) {
      const reply = await askMessage(world, await world.account(), { model, stream });
      expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
      const message = stream ? messageOf(eventsOf(reply)) : reply.json;
      expect(message).toMatchObject({ model, stop_reason: "end_turn", content: [{ type: "text" }] });
    }
  });
});
