// POST /v1/responses, whole answers: their content, the fields that they repeat, their cost.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";
import { respond, weather } from "./responses-gateway.ts";

const can = { supports_tools: true, supports_structured_outputs: true, supports_vision: true, input_modalities: ["text", "image", "file"] };
const world = chatWorld(
  [
    language("demo/chat", ["chat"], can),
    language("demo/reason", ["reason-1"], { ...can, supports_reasoning: true }),
    language("demo/cached", ["chat+sim-prompt-tokens-1000+sim-cached-600"]),
    language("demo/uncounted", ["chat+sim-no-usage+sim-tokens-40"]),
    language("demo/filtered", ["chat+sim-finish-filtered"]),
    language("demo/stand-in", ["chat+sim-fail-503"], { fallbacks: ["demo/chat"] }),
  ],
  { aliases: { best: "demo/chat" } },
);
const ask = async (body: object) => respond(world, await world.account(), body);

describe("200", () => {
  test("a text: one message, the whole form, and what was sent repeated", async () => {
    const sent = { instructions: "Be brief.", temperature: 0.5, top_p: 0.9, max_output_tokens: 900, metadata: { a: "b" }, user: "u" };
    const { json, headers } = await ask({ model: "best", ...sent, prompt_cache_key: "k", safety_identifier: "s", store: true });
    expect(json).toMatchObject({
      ...sent,
      id: expect.stringMatching(/^resp_\w+$/),
      object: "response",
      status: "completed",
      model: "demo/chat",
      error: null,
      incomplete_details: null,
      parallel_tool_calls: true,
      prompt_cache_key: "k",
      safety_identifier: "s",
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      truncation: "disabled",
      store: false,
      background: false,
      previous_response_id: null,
    });
    expect(json.output).toEqual([
      {
        id: expect.stringMatching(/^msg_\w+_0$/),
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: expect.stringContaining("Hello"), annotations: [], logprobs: [] }],
      },
    ]);
    expect(json.completed_at).toBeGreaterThanOrEqual(json.created_at);
    expect(headers).toMatchObject({ "x-svc-model": "demo/chat", "x-svc-alias": "best" });
    const upstream = { temperature: 0.5, top_p: 0.9, max_tokens: 900, user: "u", safety_identifier: "s" };
    expect(world.sent()[0]).toMatchObject({ ...upstream, messages: [{ role: "system", content: "Be brief." }, ...hello] });
    for (const kept of ["store", "metadata", "prompt_cache_key", "input", "instructions", "max_output_tokens"])
      expect(world.sent()[0]).not.toHaveProperty(kept);
  });

  test.each([["demo/chat"], ["demo/reason"], ["demo/cached"], ["demo/uncounted"], ["demo/stand-in"]])(
    "%s: says and costs what the same chat says and costs",
    async (model) => {
      const [asked, chatted] = [await world.account(), await world.account()];
      const { json } = await respond(world, asked, { model });
      const chat = (await world.chat(chatted, { model })).json;
      expect(json.output.at(-1).content[0].text).toBe(chat.choices[0].message.content);
      const { usage } = chat;
      expect(json.usage).toEqual({
        input_tokens: usage.prompt_tokens,
        input_tokens_details: { cached_tokens: usage.prompt_tokens_details.cached_tokens, cache_write_tokens: 0 },
        output_tokens: usage.completion_tokens,
        output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
        total_tokens: usage.total_tokens,
        cost: usage.cost,
        cache_discount: usage.cache_discount,
      });
      expect(usage.cost).toBeGreaterThan(0);
      const balances = await Promise.all([asked, chatted].map((account) => world.gateway.balance(account)));
      expect(balances[0]).toEqual(balances[1]);
      expect(balances[0]!.spent).toBe(usage.cost);
    },
  );

  test("the usage log names the operation", async () => {
    const reply = await ask({ model: "demo/chat" });
    expect(await world.logOf(reply)).toMatchObject({ operation: "createResponse", status: "success", stream: false, estimated: false });
  });

  test("thinking is a reasoning item before the message; its encrypted_content is empty", async () => {
    const { json } = await ask({ model: "demo/reason", reasoning: { effort: "high", summary: "auto" } });
    expect(json.output.map(({ type }: { type: string }) => type)).toEqual(["reasoning", "message"]);
    expect(json.output[0]).toEqual({
      id: expect.stringMatching(/^rs_\w+_0$/),
      type: "reasoning",
      summary: [{ type: "summary_text", text: expect.stringMatching(/\w/) }],
      encrypted_content: "",
    });
    expect(json.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    expect(world.sent()[0]).toHaveProperty("reasoning_effort", "high");
  });

  test("a function is called with its arguments; its result leads to a text", async () => {
    const { json } = await ask({ model: "demo/chat", tools: [weather], tool_choice: "required", parallel_tool_calls: false });
    expect(json.output).toEqual([
      {
        id: expect.stringMatching(/^fc_\w+_0$/),
        type: "function_call",
        status: "completed",
        call_id: expect.any(String),
        name: "get_weather",
        arguments: expect.stringMatching(/^\{"city":/),
      },
    ]);
    expect(json.tools).toEqual([{ ...weather, strict: null }]);
    expect(world.sent()[0]).toMatchObject({ tool_choice: "required", parallel_tool_calls: false });
    const [call] = json.output;
    const result = { type: "function_call_output", call_id: call.call_id, output: "sunny" };
    const next = await ask({ model: "demo/chat", tools: [weather], input: [{ role: "user", content: "Hello" }, call, result] });
    expect(next.json.output[0].type).toBe("message");
    expect(world.sent()[1]!.messages).toEqual([
      ...hello,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: call.call_id, type: "function", function: { name: "get_weather", arguments: call.arguments } }],
      },
      { role: "tool", tool_call_id: call.call_id, content: "sunny" },
    ]);
  });

  test("a custom tool is called with free text, a tool of a namespace with both names", async () => {
    const format = { type: "grammar", syntax: "lark", definition: "start: WORD" };
    const tools = [
      { type: "custom", name: "apply_patch", description: "Patches", format },
      { type: "namespace", name: "crm", description: "Customers", tools: [{ ...weather, name: "find" }] },
    ];
    const { json } = await ask({ model: "demo/chat", input: "Use apply_patch and crm__find", tools });
    expect(json.output).toMatchObject([
      { id: expect.stringMatching(/^ctc_/), type: "custom_tool_call", status: "completed", name: "apply_patch", input: expect.any(String) },
      { type: "function_call", name: "find", namespace: "crm" },
    ]);
    expect(json.output[0].input).not.toContain("{");
    const [patch, find] = world.sent()[0]!.tools as { function: Record<string, unknown> }[];
    expect(patch!.function).toMatchObject({ name: "apply_patch", description: expect.stringContaining("(lark):\nstart: WORD") });
    expect(find!.function).toMatchObject({ name: "crm__find", description: "Customers\n\nThe weather" });
  });

  test("tools that agents always send are dropped: the model is never offered them, the answer doesn't show them", async () => {
    const tools = [
      { type: "web_search" },
      { type: "web_search_preview_2025_03_11" },
      { type: "image_generation" },
      { type: "tool_search" },
    ];
    const { json } = await ask({ model: "demo/chat", tools, tool_choice: "auto", parallel_tool_calls: true });
    expect([json.status, json.tools]).toEqual(["completed", []]);
    for (const name of ["tools", "tool_choice", "parallel_tool_calls"]) expect(world.sent()[0]).not.toHaveProperty(name);
  });

  test("allowed_tools narrows the tools, a named tool is forced", async () => {
    const tools = [weather, { ...weather, name: "get_time" }];
    const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "get_time" }] };
    const narrowed = await ask({ model: "demo/chat", tools, tool_choice: allowed });
    expect(narrowed.json.output.map(({ name }: { name: string }) => name)).toEqual(["get_time"]);
    const forced = await ask({ model: "demo/chat", tools, tool_choice: { type: "function", name: "get_weather" } });
    expect(forced.json.output.map(({ name }: { name: string }) => name)).toEqual(["get_weather"]);
    expect(forced.json.tool_choice).toEqual({ type: "function", name: "get_weather" });
  });

  test("text.format gives JSON of the schema", async () => {
    const format = { type: "json_schema", name: "city", schema: weather.parameters, strict: true };
    const { json } = await ask({ model: "demo/chat", text: { format, verbosity: "low" } });
    expect(JSON.parse(json.output[0].content[0].text)).toEqual({ city: expect.any(String) });
    expect(json.text).toEqual({ format, verbosity: "low" });
    const json_schema = { name: "city", schema: weather.parameters, strict: true };
    expect(world.sent()[0]).toMatchObject({ response_format: { type: "json_schema", json_schema }, verbosity: "low" });
    await ask({ model: "demo/chat", text: { format: { type: "json_object" } } });
    expect(world.sent()[1]).toHaveProperty("response_format", { type: "json_object" });
  });

  test("images and files reach the model as chat's parts", async () => {
    const content = [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "original" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
    ];
    expect((await ask({ model: "demo/chat", input: [{ role: "user", content }] })).status).toBe(200);
    expect(world.sent()[0]!.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "high" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
        ],
      },
    ]);
  });

  test.each([
    ["the output cap", { model: "demo/chat", max_output_tokens: 3 }, "max_output_tokens"],
    ["the provider's filter", { model: "demo/filtered" }, "content_filter"],
  ])("an answer that %s cut is incomplete, and its message too", async (_, body, reason) => {
    const { json } = await ask(body);
    expect(json).toMatchObject({ status: "incomplete", incomplete_details: { reason }, output: [{ status: "incomplete" }] });
  });

  test("max_output_tokens is lowered where the balance can't pay for it, with chat's headers", async () => {
    const reply = await respond(world, await world.account({ deposit: "0.0001" }), { model: "demo/chat", max_output_tokens: 900 });
    const sent = Number(reply.headers["x-svc-max-tokens-clamped"]);
    expect(sent).toBeGreaterThan(0);
    expect(world.sent()[0]).toHaveProperty("max_tokens", sent);
    expect(reply.json.max_output_tokens).toBe(900);
  });
});
