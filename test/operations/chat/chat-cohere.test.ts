// POST /v1/chat/completions over hosts of the Cohere protocol: translated there and back, charged by what it billed, with fallbacks to and
// from hosts of the other protocol.
import { describe, expect, test } from "vitest";
import { chatWorld, costUsd, language, prices, provider, recordsOf, textOf } from "./chat-gateway.ts";

const north = (model: string) => ({ provider: "north", model });
const reef = (model: string) => ({ provider: "reef", model });
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };
const faults = ["fail-503", "429", "401", "402", "403", "404", "quota", "html", "bad-json", "200-error", "reset", "cut-after-2", "refuse"];
const first = ["200-error", "bad-json", "empty", "cut-after-0", "end-after-0"];

const world = chatWorld(
  [
    language("demo/reef", [reef("reef")], { ...able, max_output_tokens: 8000, input_modalities: ["text", "image", "file"] }),
    language("demo/measured", [reef("measured+sim-prompt-tokens-1000+sim-cached-700")]),
    language("demo/silent", [reef("silent+sim-no-usage")]),
    language("demo/refusing", [reef("refusing+sim-finish-filtered")]),
    language("demo/blocked", [reef("blocked+sim-refuse")]),
    language("demo/context", [reef("context+sim-context"), north("other")]),
    language("demo/broken", [reef("broken+sim-end-after-6")]),
    language("demo/failing", [reef("failing+sim-error-after-6")]),
    ...faults.map((fault) => language(`fault/${fault}`, [reef(`chat+sim-${fault}`), north("second")])),
    ...first.map((fault) => language(`first/${fault}`, [reef(`stream+sim-${fault}`), north("second")])),
    language("demo/back", [north("back+sim-fail-503"), reef("second")]),
  ],
  { providers: [provider("north"), provider("reef", { protocol: "cohere", base_url: "simulator:/cohere" })] },
);

const weather = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { place: { type: "string" } } } },
};
const tides = { type: "function", function: { name: "get_tides", description: "When the sea is high." } };

describe("answers", () => {
  test("whole and streamed say the same and cost the same, to the last digit", async () => {
    const account = await world.account();
    const whole = await world.chat(account, { model: "demo/reef" });
    expect(whole.status, whole.text).toBe(200);
    expect(whole.json).toMatchObject({ model: "demo/reef", choices: [{ message: { role: "assistant" }, finish_reason: "stop" }] });
    expect(whole.json.usage.cost).toBe(costUsd(whole.json.usage, prices));
    const streamed = await world.chat(account, { model: "demo/reef", stream: true, stream_options: { include_usage: true } });
    expect(textOf(streamed)).toBe(whole.json.choices[0].message.content);
    const records = recordsOf(streamed);
    expect(records.at(-1)).toBe("[DONE]");
    expect(records.at(-2).usage).toEqual(whole.json.usage);
    expect(world.gateway.simulator.calls()[0]).toMatchObject({ path: "/cohere/v2/chat" });
  });

  test("what the host billed counts, not what it read besides", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/measured" });
    expect(reply.json.usage).toMatchObject({ prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 0 } });
    expect(await world.logOf(reply)).toMatchObject({ input_tokens: 1000n, cache_read_tokens: 0n, estimated: false });
  });

  test("a host that says no usage: counted", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), { model: "demo/silent", stream });
      expect(await world.logOf(reply)).toMatchObject({ estimated: true });
    }
  });

  test("tools: called in parallel, answered, answered about", async () => {
    const account = await world.account();
    const asked = { role: "user", content: "use get_weather and get_tides please" };
    const tools = [weather, tides];
    const called = await world.chat(account, { model: "demo/reef", messages: [asked], tools });
    const [choice] = called.json.choices;
    expect(choice.finish_reason).toBe("tool_calls");
    const { tool_calls: calls } = choice.message;
    expect(calls.map(({ function: { name } }: any) => name)).toEqual(["get_weather", "get_tides"]);
    const streamed = recordsOf(await world.chat(account, { model: "demo/reef", messages: [asked], tools, stream: true }));
    const pieces = streamed.flatMap((record) => record.choices?.[0].delta.tool_calls ?? []);
    const told = (index: number) =>
      pieces.filter((piece: any) => piece.index === index).map((piece: any) => piece.function.arguments ?? "");
    expect([0, 1].map((index) => told(index).join(""))).toEqual(calls.map((call: any) => call.function.arguments));
    const results = calls.map(({ id }: any, index: number) => ({ role: "tool", tool_call_id: id, content: `Rain ${index}.` }));
    const history = [asked, choice.message, ...results.toReversed()];
    world.gateway.simulator.reset();
    expect((await world.chat(account, { model: "demo/reef", messages: history, tools })).json.choices[0].finish_reason).toBe("stop");
    expect((world.sent()[0]!.messages as any[]).slice(1)).toEqual([
      { role: "assistant", tool_calls: calls.map(({ id, type, function: called }: any) => ({ id, type, function: called })) },
      { role: "tool", tool_call_id: calls[0].id, content: "Rain 0." },
      { role: "tool", tool_call_id: calls[1].id, content: "Rain 1." },
    ]);
  });

  test("tool_choice: none, required, one of them", async () => {
    const account = await world.account();
    const ask = (choice: unknown) => world.chat(account, { model: "demo/reef", tools: [weather, tides], tool_choice: choice });
    expect((await ask("none")).json.choices[0].finish_reason).toBe("stop");
    expect((await ask("required")).json.choices[0].finish_reason).toBe("tool_calls");
    const named = await ask({ type: "function", function: { name: "get_tides" } });
    expect(named.json.choices[0].message.tool_calls[0].function.name).toBe("get_tides");
    expect(world.sent().map(({ tools, tool_choice: choice }) => [choice, (tools as any[]).length])).toEqual([
      ["NONE", 2],
      ["REQUIRED", 2],
      ["REQUIRED", 1],
    ]);
  });

  test("images, text files, a schema, a system message and sampling reach a strict host within its bounds", async () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
      { type: "file", file: { filename: "a.txt", file_data: `data:text/plain;base64,${Buffer.from("Words").toString("base64")}` } },
    ];
    const schema = { type: "object", properties: { age: { type: "integer", minimum: 3 } }, required: ["age"] };
    const reply = await world.chat(await world.account(), {
      model: "demo/reef",
      messages: [
        { role: "system", content: "A" },
        { role: "user", content },
      ],
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
      ...{ stop: ["\n", "END"], temperature: 1.5, top_p: 1, frequency_penalty: -1, presence_penalty: 2, seed: 1, user: "u1" },
    });
    expect(reply.status, reply.text).toBe(200);
    expect(JSON.parse(reply.json.choices[0].message.content)).toHaveProperty("age");
    expect(world.sent()[0]).toEqual({
      model: "reef",
      messages: [
        { role: "system", content: "A" },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "text", text: "Words" },
          ],
        },
      ],
      max_tokens: expect.any(Number),
      response_format: { type: "json_object", json_schema: schema },
      stop_sequences: ["\n", "END"],
      ...{ temperature: 1, p: 0.99, frequency_penalty: 0, seed: 1 },
    });
  });

  test("thinking comes as reasoning_content, whole and streamed", async () => {
    const account = await world.account();
    const body = { model: "demo/reef", reasoning_effort: "high" };
    const whole = await world.chat(account, body);
    expect(whole.json.choices[0].message.reasoning_content).toMatch(/./);
    const streamed = recordsOf(await world.chat(account, { ...body, stream: true }));
    const thought = streamed.map((record) => record.choices?.[0].delta.reasoning_content ?? "").join("");
    expect(thought).toBe(whole.json.choices[0].message.reasoning_content);
    expect(world.sent()[0]).toMatchObject({ thinking: { type: "enabled", token_budget: 6400 } });
  });

  test("an answer that was filtered is content_filter", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/refusing" });
    expect(json.choices[0].finish_reason).toBe("content_filter");
  });
});

describe("errors", () => {
  test("403 route_refused: a text that the filter stopped", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/blocked" });
    expect([reply.status, reply.json.error.code]).toEqual([403, "route_refused"]);
    await world.expectUntouched(account);
  });

  test("400 request_rejected: the upstream's own sentence, and what can't be said there", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/context" });
    const message = expect.stringContaining("total number of tokens in the prompt cannot exceed 4081");
    expect([reply.status, reply.json.error]).toEqual([400, expect.objectContaining({ code: "request_rejected", message })]);
    expect(world.sent()).toHaveLength(1);
    const several = await world.chat(account, { model: "demo/reef", n: 2 });
    expect(several.json.error).toMatchObject({ code: "request_rejected", param: "n" });
    await world.expectUntouched(account);
  });
});

describe("fallback between protocols", () => {
  test.each(faults)("sim-%s on the Cohere route: the OpenAI one answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `fault/${fault}` });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
  });

  test.each(first)("a stream that is sim-%s before it said anything: the OpenAI route answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `first/${fault}`, stream: true });
    expect(reply.headers).toMatchObject({ "x-svc-fallback-layer": "1" });
  });

  test("and back: an OpenAI route fails, the Cohere one answers", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/back", stream: true });
    expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
  });
});

test.each(["demo/broken", "demo/failing"])("%s: stream_interrupted, nothing charged", async (model) => {
  const account = await world.account();
  const reply = await world.chat(account, { model, stream: true });
  expect(recordsOf(reply).at(-2)).toMatchObject({ choices: [{ finish_reason: "error" }], error: { code: "stream_interrupted" } });
  await world.expectUntouched(account);
});
