// POST /v1/messages on models whose upstream speaks the OpenAI dialect: the answer, what goes upstream, the charge.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { askMessage, hello } from "./message-events.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"], { supports_tools: true, supports_vision: true, supports_structured_outputs: true }),
    language("demo/reason", ["reason-1"], { supports_reasoning: true, supports_tools: true }),
    language("demo/always", ["reason-2"], { supports_reasoning: true, reasoning_always_on: true }),
    language("demo/cached", ["chat+sim-prompt-tokens-1000+sim-cached-600"]),
    language("demo/filtered", ["chat+sim-finish-filtered"]),
    language("demo/long", ["chat+sim-tokens-900"]),
    language("demo/fallback", ["chat+sim-fail-503", "chat"]),
    language("demo/other", ["chat+sim-fail-503"], { fallbacks: ["demo/chat"] }),
  ],
  { aliases: { best: "demo/chat" } },
);

const weather = {
  name: "get_weather",
  description: "Says the weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

describe("200", () => {
  test("is a message in Anthropic's form that names the resolved model", async () => {
    const reply = await askMessage(world, await world.account(), { model: "best" });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      type: "message",
      role: "assistant",
      model: "demo/chat",
      stop_reason: "end_turn",
      stop_sequence: null,
    });
    expect(reply.json.id).toMatch(/^msg_/);
    expect(reply.json.content).toEqual([{ type: "text", text: expect.stringContaining("Hello") }]);
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/chat", "x-svc-alias": "best" });
    expect(reply.headers["request-id"]).toBe(reply.headers["x-request-id"]);
  });

  test("costs exactly what the chat of the same content costs, and says so", async () => {
    const account = await world.account();
    const chat = await world.chat(account, { model: "demo/chat", max_tokens: 500 });
    const { json } = await askMessage(world, account, { model: "demo/chat" });
    expect(json.content[0].text).toBe(chat.json.choices[0].message.content);
    expect(json.usage).toEqual({
      input_tokens: chat.json.usage.prompt_tokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: chat.json.usage.completion_tokens,
      cost: chat.json.usage.cost,
      cache_discount: 0,
    });
    expect(await world.gateway.balance(account)).toMatchObject({ spent: 2 * (json.usage.cost as number), reserved: 0 });
  });

  test("counts cached tokens apart from the others", async () => {
    const { json } = await askMessage(world, await world.account(), { model: "demo/cached" });
    expect(json.usage).toMatchObject({ input_tokens: 400, cache_read_input_tokens: 600, cache_discount: (600 * 0.45) / 1e6 });
  });

  test("opens with a thinking block, its signature empty, where the model shows its reasoning", async () => {
    const { json } = await askMessage(world, await world.account(), { model: "demo/reason", thinking: { type: "adaptive" } });
    expect(json.content.map(({ type }: { type: string }) => type)).toEqual(["thinking", "text"]);
    expect(json.content[0]).toEqual({ type: "thinking", thinking: expect.stringMatching(/./), signature: "" });
    expect(json.usage.output_tokens_details.thinking_tokens).toBeGreaterThan(0);
  });

  test("holds no thinking block where the caller wants none shown", async () => {
    const thinking = { type: "adaptive", display: "omitted" };
    const { json } = await askMessage(world, await world.account(), { model: "demo/reason", thinking });
    expect(json.content.map(({ type }: { type: string }) => type)).toEqual(["text"]);
  });

  test("holds tool calls with parsed arguments, and waits for their results", async () => {
    const account = await world.account();
    const request = { model: "demo/chat", tools: [weather], tool_choice: { type: "any" } };
    const { json } = await askMessage(world, account, request);
    expect(json.stop_reason).toBe("tool_use");
    const call = json.content.at(-1);
    expect(call).toMatchObject({ type: "tool_use", id: expect.any(String), name: "get_weather", input: { city: expect.any(String) } });
    const messages = [
      ...hello,
      { role: "assistant", content: json.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "Rain." }] },
    ];
    const next = await askMessage(world, account, { ...request, tool_choice: { type: "auto" }, messages });
    expect(next.json.stop_reason).toBe("end_turn");
    expect((world.sent().at(-1)!.messages as object[]).slice(-2)).toMatchObject([
      { role: "assistant", tool_calls: [{ id: call.id, function: { name: "get_weather", arguments: JSON.stringify(call.input) } }] },
      { role: "tool", tool_call_id: call.id, content: "Rain." },
    ]);
  });

  test.each([
    ["demo/filtered", {}, "refusal"],
    ["demo/long", { max_tokens: 20 }, "max_tokens"],
  ])("%s ends with %o: %s", async (model, body, reason) => {
    expect((await askMessage(world, await world.account(), { model, ...body })).json.stop_reason).toBe(reason);
  });

  test("without max_tokens the model's own limit holds", async () => {
    const { status, json } = await askMessage(world, await world.account(), { model: "demo/long", max_tokens: undefined });
    expect([status, json.usage.output_tokens]).toEqual([200, 900]);
    expect(world.sent()[0]).not.toHaveProperty("max_tokens");
  });

  test("a balance that pays for less lowers max_tokens and says to what", async () => {
    const account = await world.account({ deposit: "0.0003" });
    const reply = await askMessage(world, account, {
      model: "demo/long",
      max_tokens: 900,
      thinking: { type: "enabled", budget_tokens: 800 },
    });
    const clamped = Number(reply.headers["x-svc-max-tokens-clamped"]);
    expect(clamped).toBeLessThan(900);
    expect(reply.headers["x-svc-credits-have"]).toBe("0.0003");
    expect(world.sent()[0]!.max_tokens).toBe(clamped);
    expect(reply.json).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: clamped } });
  });

  test.each([
    ["demo/fallback", { "x-svc-fallback": "true", "x-svc-fallback-layer": "1" }],
    ["demo/other", { "x-svc-fallback": "true", "x-svc-fallback-layer": "3", "x-svc-served-model": "demo/chat" }],
  ])("%s is answered by another route, which the headers say", async (model, headers) => {
    const reply = await askMessage(world, await world.account(), { model });
    expect(reply.json.model).toBe(model);
    expect(reply.headers).toMatchObject(headers);
  });

  test.each([
    [{ authorization: "" }, "x-api-key alone"],
    [{ authorization: "Bearer nonsense" }, "x-api-key beside a bearer token that is none of ours"],
  ])("accepts the key as x-api-key: %s", async (headers) => {
    const account = await world.account();
    const body = { model: "demo/chat", messages: hello, max_tokens: 5 };
    const sent = { ...headers, "x-api-key": account.key, "anthropic-version": "2026-10-21" };
    const reply = await world.gateway.request("POST", "/v1/messages?beta=true", { body, headers: sent });
    expect(reply.status).toBe(200);
  });
});

describe("what goes upstream", () => {
  const sentFor = async (body: object) => {
    const reply = await askMessage(world, await world.account(), body);
    expect(reply.status, reply.text).toBe(200);
    return world.sent().at(-1)!;
  };

  test("is a chat request, without anything that only Anthropic knows", async () => {
    const cache_control = { type: "ephemeral" };
    const sent = await sentFor({
      model: "demo/chat",
      system: [
        { type: "text", text: "Be short.", cache_control },
        { type: "text", text: "Be kind." },
      ],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello", cache_control }] }],
      tools: [{ ...weather, cache_control, eager_input_streaming: true, defer_loading: false, strict: true, input_examples: [] }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      metadata: { user_id: "user-1", team: "red" },
      context_management: { edits: [] },
      stop_sequences: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      service_tier: "auto",
      speed: "fast",
    });
    expect(sent).toEqual({
      model: "chat",
      messages: [
        { role: "system", content: "Be short.\n\nBe kind." },
        { role: "user", content: "Hello" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "get_weather", description: weather.description, parameters: weather.input_schema, strict: true },
        },
      ],
      tool_choice: "auto",
      parallel_tool_calls: false,
      max_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END"],
      user: "user-1",
    });
  });

  test("carries the schema of the answer, which is then JSON", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };
    const sent = await sentFor({ model: "demo/chat", output_config: { format: { type: "json_schema", schema } } });
    expect(sent.response_format).toEqual({ type: "json_schema", json_schema: { name: "response", schema, strict: true } });
  });

  const called = [
    ...hello,
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Kiel" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "Rain." }] },
  ];
  const thought = [
    ...hello,
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Hi." },
      ],
    },
    ...hello,
  ];
  test.each([
    ["a budget", { thinking: { type: "enabled", budget_tokens: 200 } }, { reasoning: { max_tokens: 200 } }],
    ["a budget below the cap", { max_tokens: 100, thinking: { type: "enabled", budget_tokens: 200 } }, { reasoning: { max_tokens: 99 } }],
    ["a budget and a cap of 1", { max_tokens: 1, thinking: { type: "enabled", budget_tokens: 200 } }, { reasoning_effort: "medium" }],
    [
      "a budget after a tool call",
      { messages: called, tools: [weather], thinking: { type: "enabled", budget_tokens: 200 } },
      { reasoning_effort: "medium" },
    ],
    ["a budget after thinking", { messages: thought, thinking: { type: "enabled", budget_tokens: 200 } }, { reasoning_effort: "medium" }],
    ["enabled without a budget", { thinking: { type: "enabled" } }, { reasoning_effort: "medium" }],
    ["adaptive", { thinking: { type: "adaptive" } }, { reasoning_effort: "medium" }],
    ["an effort", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }, { reasoning_effort: "high" }],
    ["an effort alone", { output_config: { effort: "low" } }, { reasoning_effort: "low" }],
    ["disabled", { thinking: { type: "disabled" }, output_config: { effort: "high" } }, { reasoning_effort: "none" }],
  ])("thinking: %s", async (_, body, expected) => {
    const { reasoning, reasoning_effort } = await sentFor({ model: "demo/reason", ...body });
    expect({ reasoning, reasoning_effort }).toEqual({ reasoning: undefined, reasoning_effort: undefined, ...expected });
  });

  test("thinking: a model that cannot switch it off runs at low", async () => {
    const sent = await sentFor({ model: "demo/always", thinking: { type: "disabled" } });
    expect(sent.reasoning_effort).toBe("low");
  });

  test("thinking and effort are dropped for a model that does not reason", async () => {
    const sent = await sentFor({ model: "demo/chat", thinking: { type: "enabled", budget_tokens: 99 }, output_config: { effort: "high" } });
    expect(sent).toEqual({ model: "chat", messages: hello, max_tokens: 500 });
  });
});
