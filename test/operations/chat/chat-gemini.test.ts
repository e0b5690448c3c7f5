// POST /v1/chat/completions over hosts of the Gemini protocol: translated there and back, charged by what it measured, with fallbacks to
// and from hosts of the other protocol.
import { describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { leaveAfter, openChat } from "../../robustness/chat-client.ts";
import { chatWorld, costUsd, language, prices, provider, recordsOf, textOf } from "./chat-gateway.ts";

const north = (model: string, more: object = {}) => ({ provider: "north", model, ...more });
const star = (model: string, more: object = {}) => ({ provider: "star", model, ...more });
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };
const faults = ["fail-503", "429", "401", "403", "404", "quota", "html", "bad-json", "200-error", "reset", "cut-after-2", "refuse"];
const first = ["200-error", "bad-json", "empty", "cut-after-0", "end-after-0", "refuse", "malformed-call+sim-tokens-0"];

const world = chatWorld(
  [
    language("demo/star", [star("star")], { ...able, max_output_tokens: 8000, input_modalities: ["text", "image", "file"] }),
    language("demo/newer", [star("newer+sim-adaptive-only", { thinking: "adaptive" })], able),
    language("demo/older", [star("older+sim-budget-only")], { ...able, max_output_tokens: 8000 }),
    language("demo/cached", [star("cached+sim-prompt-tokens-1000+sim-cached-700")]),
    language("demo/silent", [star("silent+sim-no-usage")]),
    language("demo/refusing", [star("refusing+sim-finish-filtered")]),
    language("demo/blocked", [star("blocked+sim-refuse")]),
    language("demo/context", [star("context+sim-context"), north("other")]),
    language("demo/broken", [star("broken+sim-end-after-6")]),
    language("demo/failing", [star("failing+sim-error-after-6")]),
    language("demo/leaving", [star("leaving+sim-prompt-tokens-900+sim-cached-500+sim-stall-after-8+sim-tokens-40")]),
    ...faults.map((fault) => language(`fault/${fault}`, [star(`chat+sim-${fault}`), north("second")])),
    ...first.map((fault) => language(`first/${fault.split("+")[0]}`, [star(`stream+sim-${fault}`), north("second")])),
    language("demo/back", [north("back+sim-fail-503"), star("second")]),
  ],
  {
    providers: [provider("north"), provider("star", { protocol: "gemini", base_url: "simulator:/gemini", api_key_env: "STAR_KEY" })],
  },
  { env: { STAR_KEY: "AIzaSyTestTestTestTestTestTestTestTest123" } },
);

const weather = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { place: { type: "string" } } } },
};
const tides = { type: "function", function: { name: "get_tides", description: "When the sea is high." } };

describe("answers", () => {
  test("whole and streamed say the same and cost the same, to the last digit; the key goes in its own header", async () => {
    const account = await world.account();
    const whole = await world.chat(account, { model: "demo/star" });
    expect(whole.status).toBe(200);
    expect(whole.json).toMatchObject({ model: "demo/star", choices: [{ message: { role: "assistant" }, finish_reason: "stop" }] });
    expect(whole.json.usage.cost).toBe(costUsd(whole.json.usage, prices));
    const streamed = await world.chat(account, { model: "demo/star", stream: true, stream_options: { include_usage: true } });
    expect(textOf(streamed)).toBe(whole.json.choices[0].message.content);
    const records = recordsOf(streamed);
    expect(records.at(-1)).toBe("[DONE]");
    expect(records.at(-2).usage).toEqual(whole.json.usage);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * whole.json.usage.cost, 10);
    const [call] = world.gateway.simulator.calls();
    expect(call).toMatchObject({
      path: "/gemini/v1beta/models/star:generateContent",
      headers: { "x-goog-api-key": expect.stringMatching(/^AIza/) },
    });
    expect(call!.headers).not.toHaveProperty("authorization");
  });

  test("several choices come as several candidates", async () => {
    const account = await world.account();
    const whole = await world.chat(account, { model: "demo/star", n: 2 });
    expect(whole.json.choices.map(({ index }: any) => index)).toEqual([0, 1]);
    const streamed = recordsOf(await world.chat(account, { model: "demo/star", n: 2, stream: true }));
    const text = (index: number) =>
      streamed.map((record) => record.choices?.find((choice: any) => choice.index === index)?.delta.content ?? "").join("");
    expect([text(0), text(1)]).toEqual(whole.json.choices.map(({ message }: any) => message.content));
  });

  test("a prompt read from the cache is charged by bucket", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), {
        model: "demo/cached",
        stream,
        stream_options: stream ? { include_usage: true } : null,
      });
      const { usage } = stream ? recordsOf(reply).at(-2) : reply.json;
      expect(usage).toMatchObject({ prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 700 } });
      expect(usage.cost).toBe(costUsd(usage, prices));
      expect(await world.logOf(reply)).toMatchObject({ input_tokens: 300n, cache_read_tokens: 700n, estimated: false });
    }
  });

  test("a host that says no usage: counted, whole and streamed alike", async () => {
    const replies = [await world.chat(await world.account(), { model: "demo/silent" })];
    replies.push(await world.chat(await world.account(), { model: "demo/silent", stream: true }));
    const rows = await Promise.all(replies.map((reply) => world.logOf(reply)));
    for (const row of rows) expect(row).toMatchObject({ estimated: true });
    expect(rows[0]!.cost).toBeGreaterThan(0n);
  });

  test("tools: called, signed, answered, answered about", async () => {
    const account = await world.account();
    const asked = { role: "user", content: "use get_weather and get_tides please" };
    const tools = [weather, tides];
    const called = await world.chat(account, { model: "demo/newer", messages: [asked], tools });
    const [choice] = called.json.choices;
    expect(choice.finish_reason).toBe("tool_calls");
    const { tool_calls: calls } = choice.message;
    expect(calls.map(({ function: { name } }: any) => name)).toEqual(["get_weather", "get_tides"]);
    expect(JSON.stringify(called.json)).not.toMatch(/signature/i);
    const streamed = recordsOf(await world.chat(account, { model: "demo/newer", messages: [asked], tools, stream: true }));
    const pieces = streamed.flatMap((record) => record.choices?.[0].delta.tool_calls ?? []);
    const told = (index: number) =>
      pieces.filter((piece: any) => piece.index === index).map((piece: any) => piece.function.arguments ?? "");
    expect([0, 1].map((index) => JSON.parse(told(index).join("")))).toEqual(calls.map((call: any) => JSON.parse(call.function.arguments)));
    const results = calls.map(({ id }: any, index: number) => ({ role: "tool", tool_call_id: id, content: `Rain ${index}.` }));
    world.gateway.simulator.reset();
    const history = [asked, choice.message, ...results];
    expect((await world.chat(account, { model: "demo/newer", messages: history, tools })).json.choices[0].finish_reason).toBe("stop");
    const foreign = history.map((message: any) =>
      message.tool_calls
        ? { ...message, tool_calls: message.tool_calls.map((call: any) => ({ ...call, id: `x${call.id}` })) }
        : message.tool_call_id
          ? { ...message, tool_call_id: `x${message.tool_call_id}` }
          : message,
    );
    expect((await world.chat(account, { model: "demo/newer", messages: foreign, tools })).status).toBe(200);
    const [own, strange] = world.sent().map(({ contents }) => contents as any[]);
    expect(own![1].parts[0]).toMatchObject({
      functionCall: { name: "get_weather" },
      thoughtSignature: expect.stringMatching(/^[A-Za-z0-9+/=]{20,}$/),
    });
    expect(own![1].parts[1]).not.toHaveProperty("thoughtSignature");
    expect(own![2]).toEqual({
      role: "user",
      parts: [
        { functionResponse: { name: "get_weather", response: { output: "Rain 0." } } },
        { functionResponse: { name: "get_tides", response: { output: "Rain 1." } } },
      ],
    });
    expect(strange![1].parts[0].thoughtSignature).toBe("skip_thought_signature_validator");
  });

  test("tool_choice: none, required, one of them", async () => {
    const account = await world.account();
    const ask = (choice: unknown) => world.chat(account, { model: "demo/star", tools: [weather, tides], tool_choice: choice });
    expect((await ask("none")).json.choices[0].finish_reason).toBe("stop");
    expect((await ask("required")).json.choices[0].finish_reason).toBe("tool_calls");
    const named = await ask({ type: "function", function: { name: "get_tides" } });
    expect(named.json.choices[0].message.tool_calls[0].function.name).toBe("get_tides");
    expect(world.sent().map(({ toolConfig }) => (toolConfig as any).functionCallingConfig)).toEqual([
      { mode: "NONE" },
      { mode: "ANY" },
      { mode: "ANY", allowedFunctionNames: ["get_tides"] },
    ]);
  });

  test("images, PDFs, a schema, a system message and sampling reach a strict host", async () => {
    const content = [
      { type: "text", text: "Look" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
    ];
    const messages = [
      { role: "system", content: "A" },
      { role: "user", content },
      { role: "assistant", content: "B" },
      { role: "user", content: "C" },
    ];
    const schema = { type: "object", properties: { age: { type: "integer", minimum: 3 } }, required: ["age"] };
    const reply = await world.chat(await world.account(), {
      model: "demo/star",
      messages,
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
      stop: ["\n", "END"],
      temperature: 1.5,
      user: "u1",
      seed: 1,
    });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.json.choices[0].message.content)).toHaveProperty("age");
    expect(world.sent()[0]).toEqual({
      contents: [
        {
          role: "user",
          parts: [
            { text: "Look" },
            { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
            { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
          ],
        },
        { role: "model", parts: [{ text: "B" }] },
        { role: "user", parts: [{ text: "C" }] },
      ],
      systemInstruction: { parts: [{ text: "A" }] },
      generationConfig: expect.objectContaining({
        temperature: 1.5,
        seed: 1,
        stopSequences: ["\n", "END"],
        responseMimeType: "application/json",
        responseJsonSchema: schema,
      }),
    });
  });

  test("thoughts come as reasoning_content, from models of both generations, and are output", async () => {
    for (const model of ["demo/older", "demo/newer"]) {
      const account = await world.account();
      const body = { model, reasoning_effort: "high" };
      const whole = await world.chat(account, body);
      expect(whole.status).toBe(200);
      expect(whole.json.choices[0].message.reasoning_content).toMatch(/./);
      const { completion_tokens: output, completion_tokens_details: details } = whole.json.usage;
      expect(details.reasoning_tokens).toBeGreaterThan(0);
      expect(output).toBeGreaterThan(details.reasoning_tokens);
      const streamed = recordsOf(await world.chat(account, { ...body, stream: true }));
      const thought = streamed.map((record) => record.choices?.[0].delta.reasoning_content ?? "").join("");
      expect(thought).toBe(whole.json.choices[0].message.reasoning_content);
    }
    const configs = world.sent().map(({ generationConfig }) => (generationConfig as any).thinkingConfig);
    expect(configs[0]).toEqual({ thinkingBudget: 6400, includeThoughts: true });
    expect(configs[2]).toEqual({ thinkingLevel: "HIGH", includeThoughts: true });
  });

  test("an answer that was filtered is content_filter", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/refusing" });
    expect(json.choices[0].finish_reason).toBe("content_filter");
  });
});

describe("errors", () => {
  test("403 route_refused: a prompt that was blocked, whole and streamed", async () => {
    for (const stream of [false, true]) {
      const account = await world.account();
      const reply = await world.chat(account, { model: "demo/blocked", stream });
      expect([reply.status, reply.json.error.code]).toEqual([403, "route_refused"]);
      await world.expectUntouched(account);
    }
  });

  test("400 request_rejected: the upstream's own sentence, and no further route", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/context" });
    const message = expect.stringContaining("exceeds the maximum number of tokens");
    expect([reply.status, reply.json.error]).toEqual([400, expect.objectContaining({ code: "request_rejected", message })]);
    expect(world.sent()).toHaveLength(1);
    await world.expectUntouched(account);
  });
});

describe("fallback between protocols", () => {
  test.each(faults)("sim-%s on the Gemini route: the OpenAI one answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `fault/${fault}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
    expect(reply.json.usage.cost).toBe(costUsd(reply.json.usage, prices));
  });

  test.each(first.map((fault) => fault.split("+")[0]))(
    "a stream that is sim-%s before it said anything: the OpenAI route answers",
    async (fault) => {
      const reply = await world.chat(await world.account(), { model: `first/${fault}`, stream: true });
      expect(reply.headers).toMatchObject({ "x-svc-fallback-layer": "1" });
      expect(recordsOf(reply).at(-2).choices[0].finish_reason).toBe("stop");
    },
  );

  test("and back: an OpenAI route fails, the Gemini one answers", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), { model: "demo/back", stream });
      expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    }
  });
});

describe("streams that do not end", () => {
  test.each(["demo/broken", "demo/failing"])("%s: stream_interrupted, nothing charged", async (model) => {
    const account = await world.account();
    const reply = await world.chat(account, { model, stream: true });
    expect(recordsOf(reply).at(-2)).toMatchObject({ choices: [{ finish_reason: "error" }], error: { code: "stream_interrupted" } });
    await world.expectUntouched(account);
  });

  test("a caller who disconnects pays for the measured prompt and for what was written", async () => {
    const account = await world.account();
    const call = openChat({ url: world.gateway.url, key: account.key, model: "demo/leaving", stream: true });
    await leaveAfter(call, 4);
    const rows = async () =>
      (await world.gateway.context.db.pool.query("select * from usage_log where account_id = $1", [account.accountId])).rows;
    await eventually(async () => expect(await rows()).toHaveLength(1));
    const [row] = await rows();
    expect(row).toMatchObject({ status: "aborted", input_tokens: 400n, cache_read_tokens: 500n, output_tokens: 8n });
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0 });
  });
});
