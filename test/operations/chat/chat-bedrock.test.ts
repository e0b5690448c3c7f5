// POST /v1/chat/completions and /v1/messages over Bedrock's Converse: signed, translated there and back, charged by what it measured, with
// fallbacks to and from hosts of another protocol.
import { describe, expect, test } from "vitest";
import { accessKeyId, secretAccessKey } from "../../../src/simulator/bedrock/signature.ts";
import { chatWorld, costUsd, language, prices, provider, recordsOf, textOf } from "./chat-gateway.ts";

const north = (model: string, more: object = {}) => ({ provider: "north", model, ...more });
const cloud = (model: string, more: object = {}) => ({ provider: "cloud", model, ...more });
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };
const faults = [
  "fail-503",
  "fail-424",
  "429",
  "401",
  "403",
  "404",
  "quota",
  "html",
  "bad-json",
  "200-error",
  "reset",
  "cut-after-2",
  "refuse",
];
const first = ["200-error", "bad-json", "empty", "cut-after-0", "cut-inside-0", "end-after-0", "refuse"];
const keys = { access_key_id_env: "CLOUD_ID", secret_access_key_env: "CLOUD_SECRET" };
const bedrock = (id: string, more: object = {}) =>
  provider(id, { protocol: "bedrock", base_url: "simulator:/bedrock", region: "eu-central-1", ...more });

const world = chatWorld(
  [
    language("demo/star", [cloud("anthropic.star-v1:0")], {
      ...able,
      max_output_tokens: 8000,
      input_modalities: ["text", "image", "file"],
    }),
    language("demo/newer", [cloud("eu.anthropic.newer-v1:0+sim-adaptive-only", { thinking: "adaptive" })], able),
    language("demo/older", [cloud("older+sim-budget-only")], { ...able, max_output_tokens: 8000 }),
    language("demo/other", [cloud("meta.other-v1:0")], { ...able, max_output_tokens: 8000 }),
    language("demo/cached", [cloud("cached+sim-prompt-tokens-1000+sim-cached-700+sim-cache-write-100")]),
    language("demo/silent", [cloud("silent+sim-no-usage")]),
    language("demo/refusing", [cloud("refusing+sim-finish-filtered")]),
    language("demo/split", [cloud("split+sim-split-7")]),
    language("demo/context", [cloud("context+sim-context"), north("other")]),
    ...["end-after-6", "error-after-6", "cut-inside-6"].map((fault) => language(`broken/${fault}`, [cloud(`broken+sim-${fault}`)])),
    ...faults.map((fault) => language(`fault/${fault}`, [cloud(`chat+sim-${fault}`), north("second")])),
    ...first.map((fault) => language(`first/${fault}`, [cloud(`stream+sim-${fault}`), north("second")])),
    language("demo/back", [north("back+sim-fail-503"), cloud("second")]),
  ],
  {
    providers: [provider("north"), bedrock("cloud", keys)],
  },
  { env: { CLOUD_ID: accessKeyId, CLOUD_SECRET: secretAccessKey } },
);

const weather = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { place: { type: "string" } } } },
};
const tides = { type: "function", function: { name: "get_tides", description: "When the sea is high." } };

describe("answers", () => {
  test("whole and streamed say the same and cost the same, to the last digit; the request is signed", async () => {
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
    const [call, second] = world.gateway.simulator.calls();
    expect(call).toMatchObject({
      path: "/bedrock/model/anthropic.star-v1%3A0/converse",
      headers: { authorization: expect.stringContaining(`Credential=${accessKeyId}/`) },
    });
    expect(call!.headers["authorization"]).toContain("/eu-central-1/bedrock/aws4_request");
    expect(second).toMatchObject({ path: "/bedrock/model/anthropic.star-v1%3A0/converse-stream" });
  });

  test("frames that arrive in pieces of seven bytes are read", async () => {
    const whole = await world.chat(await world.account(), { model: "demo/split" });
    expect(textOf(await world.chat(await world.account(), { model: "demo/split", stream: true }))).toBe(
      whole.json.choices[0].message.content,
    );
  });

  test("a long request is signed too", async () => {
    const messages = [{ role: "user", content: "lighthouse ".repeat(8_000) }];
    expect((await world.chat(await world.account(), { model: "demo/star", messages })).status).toBe(200);
  });

  test("what the cache gave and got is charged by bucket", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), { model: "demo/cached", stream });
      expect(await world.logOf(reply)).toMatchObject({
        ...{ input_tokens: 200n, cache_read_tokens: 700n, cache_write_tokens: 100n, estimated: false },
      });
    }
  });

  test("a host that says no usage: counted, whole and streamed alike", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), { model: "demo/silent", stream });
      expect(await world.logOf(reply)).toMatchObject({ estimated: true });
    }
  });

  test("tools: called, answered, answered about", async () => {
    const account = await world.account();
    const asked = { role: "user", content: "use get_weather and get_tides please" };
    const tools = [weather, tides];
    const called = await world.chat(account, { model: "demo/star", messages: [asked], tools });
    const [choice] = called.json.choices;
    expect(choice.finish_reason).toBe("tool_calls");
    const { tool_calls: calls } = choice.message;
    expect(calls.map(({ function: { name } }: any) => name)).toEqual(["get_weather", "get_tides"]);
    const streamed = recordsOf(await world.chat(account, { model: "demo/star", messages: [asked], tools, stream: true }));
    const pieces = streamed.flatMap((record) => record.choices?.[0].delta.tool_calls ?? []);
    const told = (index: number) =>
      pieces.filter((piece: any) => piece.index === index).map((piece: any) => piece.function.arguments ?? "");
    expect([0, 1].map((index) => JSON.parse(told(index).join("")))).toEqual(calls.map((call: any) => JSON.parse(call.function.arguments)));
    const results = calls.map(({ id }: any, index: number) => ({ role: "tool", tool_call_id: id, content: `Rain ${index}.` }));
    world.gateway.simulator.reset();
    const answered = await world.chat(account, { model: "demo/star", messages: [asked, choice.message, ...results], tools });
    expect(answered.json.choices[0].finish_reason).toBe("stop");
    expect((world.sent()[0]!["messages"] as any[])[2]).toEqual({
      role: "user",
      content: calls.map(({ id }: any, index: number) => ({ toolResult: { toolUseId: id, content: [{ text: `Rain ${index}.` }] } })),
    });
  });

  test("tool_choice: none, required, one of them", async () => {
    const account = await world.account();
    const ask = (choice: unknown) => world.chat(account, { model: "demo/star", tools: [weather, tides], tool_choice: choice });
    expect((await ask("none")).json.choices[0].finish_reason).toBe("stop");
    expect((await ask("required")).json.choices[0].finish_reason).toBe("tool_calls");
    const named = await ask({ type: "function", function: { name: "get_tides" } });
    expect(named.json.choices[0].message.tool_calls[0].function.name).toBe("get_tides");
    expect(world.sent().map(({ toolConfig }) => (toolConfig as any)?.toolChoice)).toEqual([
      undefined,
      { any: {} },
      { tool: { name: "get_tides" } },
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
    ];
    const schema = { type: "object", properties: { age: { type: "integer", minimum: 3 } }, required: ["age"] };
    const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
    const more = { response_format, stop: ["END"], temperature: 0.5, user: "u1", seed: 1 };
    const reply = await world.chat(await world.account(), { model: "demo/star", messages, ...more });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.json.choices[0].message.content)).toHaveProperty("age");
    expect(world.sent()[0]).toEqual({
      messages: [
        {
          role: "user",
          content: [
            { text: "Look" },
            { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
            { document: { name: "Document 1", context: "a.pdf", format: "pdf", source: { bytes: "JVBERi0=" } } },
          ],
        },
      ],
      system: [{ text: "A" }],
      inferenceConfig: { maxTokens: expect.any(Number), temperature: 0.5, stopSequences: ["END"] },
      outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema: { name: "response", schema: expect.any(String) } } } },
      additionalModelResponseFieldPaths: ["/stop_sequence"],
    });
  });

  test("thoughts come as reasoning_content, from models of both generations; other vendors' models are not asked for them", async () => {
    for (const model of ["demo/older", "demo/newer"]) {
      const account = await world.account();
      const body = { model, reasoning_effort: "high" };
      const whole = await world.chat(account, body);
      expect(whole.status).toBe(200);
      expect(whole.json.choices[0].message.reasoning_content).toMatch(/./);
      const streamed = recordsOf(await world.chat(account, { ...body, stream: true }));
      const thought = streamed.map((record) => record.choices?.[0].delta.reasoning_content ?? "").join("");
      expect(thought).toBe(whole.json.choices[0].message.reasoning_content);
    }
    expect((await world.chat(await world.account(), { model: "demo/other", reasoning_effort: "high", top_k: 5 })).status).toBe(200);
    const sent = world.sent();
    expect(sent[0]!["additionalModelRequestFields"]).toMatchObject({ thinking: { type: "enabled" } });
    expect(sent[2]!["additionalModelRequestFields"]).toMatchObject({ thinking: { type: "adaptive" } });
    expect(sent[2]!["outputConfig"]).toEqual({ effort: "high" });
    expect(sent[4]).not.toHaveProperty("additionalModelRequestFields");
  });

  test("an answer that was filtered is content_filter", async () => {
    const { json } = await world.chat(await world.account(), { model: "demo/refusing" });
    expect(json.choices[0].finish_reason).toBe("content_filter");
  });

  test("messages of the Anthropic dialect, with cache marks and the stop sequence that was met", async () => {
    const account = await world.account();
    const ask = (body: object) => world.gateway.request("POST", "/v1/messages", { key: account.key, body });
    const marked = { cache_control: { type: "ephemeral", ttl: "1h" } };
    const system = [{ type: "text", text: "A long text.", ...marked }];
    const content = [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }];
    const body = { model: "demo/star", max_tokens: 200, system, messages: [{ role: "user", content }] };
    const plain = await ask(body);
    expect(plain.json).toMatchObject({ type: "message", stop_reason: "end_turn", content: [{ type: "text" }] });
    expect(world.sent()[0]).toMatchObject({
      system: [{ text: "A long text." }, { cachePoint: { type: "default", ttl: "1h" } }],
      messages: [{ content: [{ text: "Hello" }, { cachePoint: { type: "default" } }] }],
    });
    const stop = plain.json.content[0].text.split(" ")[3];
    const stopped = await ask({ ...body, stop_sequences: [stop] });
    expect(stopped.json).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: stop });
    const { text } = await ask({ ...body, stop_sequences: [stop], stream: true });
    const [, data = ""] = /event: message_delta\ndata: (.*)/.exec(text) ?? [];
    expect(JSON.parse(data).delta).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: stop });
  });
});

describe("fallback between protocols", () => {
  test.each(faults)("sim-%s on the Bedrock route: the OpenAI one answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `fault/${fault}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
  });

  test.each(first)("a stream that is sim-%s before it said anything: the OpenAI route answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `first/${fault}`, stream: true });
    expect(reply.headers).toMatchObject({ "x-svc-fallback-layer": "1" });
    expect(recordsOf(reply).at(-2).choices[0].finish_reason).toBe("stop");
  });

  test("and back: an OpenAI route fails, the Bedrock one answers", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), { model: "demo/back", stream });
      expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
    }
  });

  test("400 request_rejected: the upstream's own sentence, and no further route", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/context" });
    const message = expect.stringContaining("Input is too long");
    expect([reply.status, reply.json.error]).toEqual([400, expect.objectContaining({ code: "request_rejected", message })]);
    expect(world.sent()).toHaveLength(1);
    await world.expectUntouched(account);
  });

  test.each(["end-after-6", "error-after-6", "cut-inside-6"])("sim-%s: stream_interrupted, nothing charged", async (fault) => {
    const account = await world.account();
    const reply = await world.chat(account, { model: `broken/${fault}`, stream: true });
    expect(recordsOf(reply).at(-2)).toMatchObject({ choices: [{ finish_reason: "error" }], error: { code: "stream_interrupted" } });
    await world.expectUntouched(account);
  });
});
