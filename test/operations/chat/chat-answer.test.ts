// POST /v1/chat/completions, whole answers: their content, their cost, and their row of the usage log.
import { describe, expect, test } from "vitest";
import { chatWorld, costUsd, hello, language, prices } from "./chat-gateway.ts";

const abilities = { supports_tools: true, supports_structured_outputs: true, supports_vision: true };
const world = chatWorld(
  [
    language("demo/chat", ["chat"], abilities),
    language("demo/cached", ["chat+sim-prompt-tokens-1001+sim-completion-tokens-7+sim-cached-333"]),
    language("demo/flat-cache", ["chat+sim-cached-4"], { pricing: { mode: "per-token", input: 0.5, output: 1.5 } }),
    language("demo/odd-price", ["chat+sim-prompt-tokens-1+sim-completion-tokens-1"], {
      pricing: { mode: "per-token", input: 0.000333, output: 0.000001 },
    }),
    language("demo/search", ["chat"], { pricing: { mode: "per-token", ...prices, per_request: 0.005 } }),
    language("demo/free", ["chat"], { pricing: { mode: "per-token", input: 0, output: 0 } }),
    language("demo/reason", ["reason-1"], { supports_reasoning: true }),
    language("demo/uncounted", ["chat+sim-no-usage+sim-tokens-40"]),
    language("demo/endless", ["chat+sim-tokens-3000"]),
  ],
  { aliases: { best: "demo/chat" } },
);

describe("200", () => {
  test("an answer in OpenAI's format names the model that was asked for", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/chat" });
    expect(reply.status).toBe(200);
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    expect(reply.json).toMatchObject({ object: "chat.completion", model: "demo/chat", choices: [{ index: 0, finish_reason: "stop" }] });
    expect(reply.json.choices[0].message).toMatchObject({ role: "assistant", content: expect.stringContaining('You said: "Hello"') });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/chat", "x-request-id": expect.any(String) });
    for (const name of ["alias", "fallback", "fallback-layer", "served-model", "max-tokens-clamped", "credits-have"])
      expect(reply.headers).not.toHaveProperty(`x-svc-${name}`);
  });

  test("an alias is resolved: body and x-svc-model name the model, x-svc-alias the alias", async () => {
    const reply = await world.chat(await world.account(), { model: "best" });
    expect(reply.json.model).toBe("demo/chat");
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/chat", "x-svc-alias": "best" });
    expect(await world.logOf(reply)).toMatchObject({ model: "demo/chat", alias: "best" });
  });

  test("a sane x-request-id of the caller comes back and goes upstream", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/chat" }, { "x-request-id": "my-own.id_1" });
    expect(reply.headers["x-request-id"]).toBe("my-own.id_1");
    expect(world.gateway.simulator.calls()[0]!.headers["x-request-id"]).toBe("my-own.id_1");
  });

  test("usage.cost is usage x price, and the balance falls by exactly that", async () => {
    const account = await world.account();
    const { json } = await world.chat(account, { model: "demo/chat" });
    expect(json.usage.total_tokens).toBe(json.usage.prompt_tokens + json.usage.completion_tokens);
    expect(json.usage.cost).toBe(costUsd(json.usage, prices));
    expect(json.usage.cache_discount).toBe(0);
    expect(json.usage).not.toHaveProperty("completion_tokens_details");
    const left = (2_000_000_000 - Math.round(json.usage.cost * 1e8)) / 1e8;
    expect(await world.gateway.balance(account)).toEqual({ balance: left, reserved: 0, spent: json.usage.cost });
  });

  test("cached tokens are billed at the cached price, and cache_discount is what that saved", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/cached" });
    expect(json.usage).toMatchObject({ prompt_tokens: 1001, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 333 } });
    expect(json.usage.cost).toBe(costUsd(json.usage, prices)); // 668 x 0.5 + 333 x 0.05 + 7 x 1.5 = 361.15 millionths
    expect(json.usage.cost).toBe(0.00036115);
    expect(json.usage.cache_discount).toBe(0.00014985); // 333 x (0.5 - 0.05)
  });

  test("without a cached price cached tokens cost what input costs, and nothing is saved", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/flat-cache" });
    expect(json.usage.prompt_tokens_details.cached_tokens).toBe(4);
    expect(json.usage).toMatchObject({ cost: costUsd(json.usage, { input: 0.5, output: 1.5 }), cache_discount: 0 });
  });

  test("a cost below 1e-8 USD is rounded up once, to 1e-8", async () => {
    const account = await world.account();
    const { json } = await world.chat(account, { model: "demo/odd-price" });
    expect(json.usage.cost).toBe(0.00000001);
    expect((await world.gateway.balance(account)).spent).toBe(0.00000001);
  });

  test("the flat fee of a search model is in usage.cost", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/search" });
    expect(Math.round(json.usage.cost * 1e8)).toBe(500_000 + Math.round(costUsd(json.usage, prices) * 1e8));
  });

  test("a model that costs nothing answers an account that has nothing", async () => {
    const account = await world.account({});
    const reply = await world.chat(account, { model: "demo/free" });
    expect(reply.status).toBe(200);
    expect(reply.json.usage.cost).toBe(0);
    await world.expectUntouched(account, 0);
  });

  test("reasoning tokens are inside completion_tokens, billed as output, and shown", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/reason", reasoning_effort: "high" });
    expect(json.choices[0].message.reasoning_content).toBeTypeOf("string");
    expect(json.usage.completion_tokens_details).toEqual({ reasoning_tokens: 64 });
    expect(json.usage.completion_tokens).toBeGreaterThan(64);
    expect(json.usage.cost).toBe(costUsd(json.usage, prices));
  });

  test("a reasoning model that did not think says 0 reasoning tokens", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/reason", reasoning_effort: "none" });
    expect(json.usage.completion_tokens_details).toEqual({ reasoning_tokens: 0 });
  });

  test("a tool is called with arguments that fit its schema", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
    const { json } = await world.chat(await world.account(), { model: "demo/chat", tools, tool_choice: "required" });
    const [choice] = json.choices;
    expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { content: null, tool_calls: [{ type: "function" }] } });
    expect(JSON.parse(choice.message.tool_calls[0].function.arguments)).toEqual({ city: expect.any(String) });
    expect(json.usage.cost).toBe(costUsd(json.usage, prices));
  });

  test("a whole tool conversation goes through: call, result, answer", async () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"q":1}' } };
    const messages = [
      ...hello,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "42" },
    ];
    const tools = [{ type: "function", function: { name: "look" } }];
    const reply = await world.chat(await world.account(), { model: "demo/chat", messages, tools });
    expect(reply.status).toBe(200);
    expect(reply.json.choices[0].finish_reason).toBe("stop");
    expect(world.sent()[0]!.messages).toEqual(messages);
  });

  test.each([
    ["json_object", { type: "json_object" }, ["answer", "confidence"]],
    [
      "json_schema",
      {
        type: "json_schema",
        json_schema: { name: "x", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
      },
      ["n"],
    ],
  ])("structured output as %s is a document of that form", async (_, response_format, keys) => {
    const { json } = await world.chat(await world.account(), { model: "demo/chat", response_format });
    expect(Object.keys(JSON.parse(json.choices[0].message.content))).toEqual(keys);
  });

  test("an image part reaches a model that sees", async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } };
    const messages = [{ role: "user", content: [{ type: "text", text: "What is it?" }, image] }];
    const reply = await world.chat(await world.account(), { model: "demo/chat", messages });
    expect(reply.status).toBe(200);
    expect(world.sent()[0]!.messages).toEqual(messages);
  });

  test("n answers are n choices, each billed", async () => {
    const account = await world.account();
    const one = await world.chat(account, { model: "demo/chat" });
    const three = await world.chat(account, { model: "demo/chat", n: 3 });
    expect(three.json.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1, 2]);
    expect(three.json.usage.completion_tokens).toBeGreaterThan(one.json.usage.completion_tokens);
    expect(three.json.usage.cost).toBe(costUsd(three.json.usage, prices));
    expect((await world.logOf(three))!.reserved).toBeGreaterThan((await world.logOf(one))!.reserved * 2n);
  });

  test("logprobs come through", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/chat", logprobs: true, top_logprobs: 2, max_tokens: 3 });
    const { content } = json.choices[0].logprobs;
    expect(content).toHaveLength(3);
    expect(content[0]).toMatchObject({ token: expect.any(String), logprob: expect.any(Number) });
    expect(content[0].top_logprobs).toHaveLength(2);
  });

  test.each(["max_tokens", "max_completion_tokens"])("%s ends an answer: finish_reason length", async (name) => {
    const { json } = await world.chat(await world.account(), { model: "demo/chat", [name]: 5 });
    expect(json.choices[0].finish_reason).toBe("length");
    expect(json.usage.completion_tokens).toBe(5);
    expect(world.sent()[0]).toHaveProperty(name, 5);
  });

  test("an upstream that counts nothing is counted here, and the log says that it is an estimate", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/uncounted" });
    const { usage } = reply.json;
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(usage.completion_tokens).toBe(Math.ceil(reply.json.choices[0].message.content.length / 4));
    expect(usage.cost).toBe(costUsd(usage, prices));
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, status: "success" });
    expect((await world.gateway.balance(account)).spent).toBe(usage.cost);
  });

  test("an upstream that says more than the model's limit is paid for the limit, and the answer shows what it measured", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/endless" });
    expect(reply.json.usage.completion_tokens).toBe(3000);
    const row = (await world.logOf(reply))!;
    expect(row).toMatchObject({ output_tokens: 3000n });
    expect((await world.gateway.balance(account)).spent).toBe(costUsd({ ...reply.json.usage, completion_tokens: 1000 }, prices));
  });
});

describe("the usage log", () => {
  test("holds the request, its key, its tokens, the prices of admission and every attempt", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/cached" });
    const row = (await world.logOf(reply))!;
    expect(row).toMatchObject({
      account_id: account.accountId,
      operation: "createChatCompletion",
      model: "demo/cached",
      alias: null,
      served_model: null,
      status: "success",
      http_status: 200,
      error_code: null,
      estimated: false,
      stream: false,
      fallback_layer: null,
      prices: { input: "500000", output: "1500000", cached: "50000", per_request: "0" },
    });
    expect([row.input_tokens, row.cache_read_tokens, row.cache_write_tokens, row.output_tokens, row.reasoning_tokens].map(Number)).toEqual([
      668, 333, 0, 7, 0,
    ]);
    expect(row.key_id).not.toBeNull();
    expect(row.cost).toBe(36_115n);
    expect(row.reserved).toBeGreaterThan(row.cost);
    const route = "north/chat+sim-prompt-tokens-1001+sim-completion-tokens-7+sim-cached-333";
    expect(row.attempts).toEqual([
      {
        route,
        model: "demo/cached",
        outcome: "ok",
        status: 200,
        latency_ms: expect.any(Number),
        response_id: expect.stringMatching(/^chatcmpl-/),
        cost_basis: { ...prices, per_request: 0 },
      },
    ]);
  });

  test("holds nothing of what was said", async () => {
    const messages = [{ role: "user", content: "a-very-private-sentence" }];
    const row = await world.logOf(await world.chat(await world.account(), { model: "demo/chat", messages }));
    expect(JSON.stringify(row, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))).not.toContain("private");
  });
});
