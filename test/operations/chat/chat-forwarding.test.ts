// POST /v1/chat/completions: the caller's bytes go upstream, except for the few members that have to change.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "./chat-gateway.ts";

const world = chatWorld([
  language("demo/chat", ["upstream-id"]),
  language("demo/tools", ["upstream-id"], { supports_tools: true }),
  language("demo/reason", ["reason-1"], { supports_reasoning: true }),
  language("demo/always", ["reason-1"], { supports_reasoning: true, reasoning_always_on: true }),
]);

/** The body that the simulator got for a body sent as text. */
async function bytesSent(text: string): Promise<string> {
  const { key } = await world.account();
  const reply = await world.gateway.request("POST", "/v1/chat/completions", {
    key,
    body: text,
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(200);
  return world.gateway.simulator.calls()[0]!.body;
}

/** Of a body sent as an object. */
async function objectSent(body: object): Promise<Record<string, unknown>> {
  const reply = await world.chat(await world.account(), body);
  expect(reply.status).toBe(200);
  return world.sent()[0]!;
}

describe("200, what the upstream gets", () => {
  test("white space, odd numbers, escapes, unknown fields and key order stay byte for byte; only the model's id changes", async () => {
    const rest = `, "seed" : 1e2,"logit_bias":{"50256":-100.0}, "x_vendor": {"a":[1.50, 1E+2, 12345678901234567890, -0.0]},
      "messages": [ {"content":"\\u0048ello \\ud83d\\ude00 \\/ \\"q\\" é","role":"user", "mine": null} ],"temperature":0.70, "stop":["\\n\\n"] }\n`;
    expect(await bytesSent(`{ "model" :  "demo/chat"${rest}`)).toBe(`{ "model" :  "upstream-id"${rest}`);
  });

  test("a model named by an escaped key is changed anyway, and of two models none survives", async () => {
    const messages = JSON.stringify(hello);
    expect(await bytesSent(`{"messages":${messages},"mod\\u0065l":"demo/chat"}`)).toBe(
      `{"messages":${messages},"mod\\u0065l":"upstream-id"}`,
    );
    world.gateway.simulator.reset();
    expect(await bytesSent(`{"model":"demo/other","messages":${messages},"model":"demo/chat"}`)).toBe(
      `{"model":"upstream-id","messages":${messages}}`,
    );
  });

  test("a byte order mark before the body is no part of it", async () => {
    const messages = JSON.stringify(hello);
    expect(await bytesSent(`\ufeff{"model":"demo/chat","messages":${messages}}`)).toBe(`{"model":"upstream-id","messages":${messages}}`);
  });

  test("store and metadata are dropped, whatever their value and place", async () => {
    const messages = JSON.stringify(hello);
    const sent = await bytesSent(`{"store":true,"model":"demo/chat","metadata":{"a":"b","c":[1,2]},"messages":${messages},"user":"u1"}`);
    expect(JSON.parse(sent)).toEqual({ model: "upstream-id", messages: hello, user: "u1" });
    world.gateway.simulator.reset();
    expect(JSON.parse(await bytesSent(`{"model":"demo/chat","messages":${messages},"store":null,"metadata":null}`))).toEqual({
      model: "upstream-id",
      messages: hello,
    });
  });

  test("store and metadata inside a message stay: they are not ours", async () => {
    const messages = [{ role: "user", content: "Hello", metadata: { a: 1 }, store: true }];
    expect((await objectSent({ model: "demo/chat", messages })).messages).toEqual(messages);
  });

  test("fields that the contract lists for clients with types go through as they are: null, fractions, empty ones, bounds of other hosts", async () => {
    const lenient = {
      seed: 1.5,
      frequency_penalty: 7,
      presence_penalty: null,
      logit_bias: {},
      user: null,
      logprobs: true,
      top_logprobs: 20,
      parallel_tool_calls: null,
      verbosity: "a word of the host's own",
      prompt_cache_options: { mode: "x" },
      modalities: [],
      web_search_options: null,
    };
    expect(await objectSent({ model: "demo/chat", messages: hello, ...lenient })).toMatchObject(lenient);
  });

  test("parameters of other hosts go through: seed, penalties, user, verbosity, prediction", async () => {
    const others = {
      seed: 7,
      presence_penalty: 0.5,
      frequency_penalty: -1,
      user: "u",
      verbosity: "low",
      parallel_tool_calls: false,
      top_p: 0.9,
      temperature: 0,
    };
    expect(await objectSent({ model: "demo/chat", ...others })).toEqual({ model: "upstream-id", messages: hello, ...others });
  });

  test("of max_tokens and max_completion_tokens the lower counts, whichever name the upstream reads", async () => {
    const sent = await objectSent({ model: "demo/chat", max_tokens: 100, max_completion_tokens: 5 });
    expect(sent).toMatchObject({ max_tokens: 5, max_completion_tokens: 5 });
  });

  test("no max_tokens is added where the balance can pay for all of it", async () => {
    expect(await objectSent({ model: "demo/chat" })).toEqual({ model: "upstream-id", messages: hello });
  });

  test.each(["developer", "system", "function"])("a message of role %s is taken", async (role) => {
    const messages = [{ role, name: "x", content: "Be brief." }, ...hello];
    expect((await objectSent({ model: "demo/chat", messages })).messages).toEqual(messages);
  });

  test("earlier reasoning_content and parts of unknown kinds are forwarded as sent", async () => {
    const messages = [
      ...hello,
      {
        role: "assistant",
        content: [
          { type: "text", text: "Hi" },
          { type: "new_kind", x: 1 },
        ],
        reasoning_content: "Hm",
      },
      ...hello,
    ];
    expect((await objectSent({ model: "demo/chat", messages })).messages).toEqual(messages);
  });

  test.each([["auto"], ["none"], ["required"], [{ type: "function", function: { name: "look" } }]])(
    "tool_choice %j and tools are forwarded as sent",
    async (tool_choice) => {
      const tools = [
        {
          type: "function",
          function: { name: "look", strict: true, parameters: { type: "object", properties: {} } },
          cache_control: { type: "ephemeral" },
        },
      ];
      expect(await objectSent({ model: "demo/tools", tools, tool_choice })).toEqual({
        model: "upstream-id",
        messages: hello,
        tools,
        tool_choice,
      });
    },
  );

  test("an empty list of tools asks for nothing, and a model without tools takes it", async () => {
    expect(await objectSent({ model: "demo/chat", tools: [] })).toMatchObject({ tools: [] });
  });

  test("a streamed call always asks for usage and keeps the caller's other stream options", async () => {
    const sent = await objectSent({
      model: "demo/chat",
      stream: true,
      stream_options: { include_usage: false, include_obfuscation: false },
    });
    expect(sent.stream_options).toEqual({ include_usage: true, include_obfuscation: false });
    world.gateway.simulator.reset();
    expect((await objectSent({ model: "demo/chat", stream: true })).stream_options).toEqual({ include_usage: true });
  });

  test("the caller's key and cookies never go upstream", async () => {
    const account = await world.account();
    await world.chat(account, { model: "demo/chat" }, { cookie: "a=b", "x-mine": "1" });
    const { headers } = world.gateway.simulator.calls()[0]!;
    expect(JSON.stringify(headers)).not.toContain(account.key);
    expect(headers).not.toHaveProperty("cookie");
    expect(headers).not.toHaveProperty("x-mine");
  });
});

describe("200, reasoning controls", () => {
  test.each([
    ["an effort on a model that thinks is sent as it came", "demo/reason", { reasoning_effort: "high" }, { reasoning_effort: "high" }],
    ["none is sent to a model that can switch thinking off", "demo/reason", { reasoning_effort: "none" }, { reasoning_effort: "none" }],
    ["none runs at low where thinking can't be switched off", "demo/always", { reasoning_effort: "none" }, { reasoning_effort: "low" }],
    [
      "minimal runs at low where thinking can't be switched off",
      "demo/always",
      { reasoning: { effort: "minimal" } },
      { reasoning: { effort: "low" } },
    ],
    ["medium stays where thinking can't be switched off", "demo/always", { reasoning_effort: "medium" }, { reasoning_effort: "medium" }],
    ["both forms are dropped for a model that does not think", "demo/chat", { reasoning_effort: "high", reasoning: { effort: "low" } }, {}],
    [
      "reasoning.effort wins over reasoning_effort",
      "demo/reason",
      { reasoning_effort: "high", reasoning: { effort: "low" } },
      { reasoning: { effort: "low" } },
    ],
    [
      "reasoning.max_tokens wins over both efforts",
      "demo/reason",
      { reasoning_effort: "high", reasoning: { effort: "low", max_tokens: 50 } },
      { reasoning: { max_tokens: 50 } },
    ],
    [
      "a budget is lowered to one below max_tokens",
      "demo/reason",
      { max_tokens: 100, reasoning: { max_tokens: 500 } },
      { max_tokens: 100, reasoning: { max_tokens: 99 } },
    ],
    [
      "a budget equal to max_tokens is lowered too",
      "demo/reason",
      { max_completion_tokens: 64, reasoning: { max_tokens: 64 } },
      { max_completion_tokens: 64, reasoning: { max_tokens: 63 } },
    ],
    [
      "a budget below max_tokens stays",
      "demo/reason",
      { max_tokens: 100, reasoning: { max_tokens: 99, exclude: true } },
      { max_tokens: 100, reasoning: { max_tokens: 99, exclude: true } },
    ],
    ["a budget without a cap stays", "demo/reason", { reasoning: { max_tokens: 5000 } }, { reasoning: { max_tokens: 5000 } }],
    ["a cap of 1 leaves no budget", "demo/reason", { max_tokens: 1, reasoning: { max_tokens: 5 } }, { max_tokens: 1 }],
  ])("%s", async (_, model, asked, expected) => {
    const { model: _model, messages: _messages, ...sent } = await objectSent({ model, ...asked });
    expect(sent).toEqual(expected);
  });
});
