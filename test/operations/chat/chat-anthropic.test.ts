// POST /v1/chat/completions over hosts of the Anthropic protocol: translated there and back, charged by cache bucket, with fallbacks to and
// from hosts of the other protocol.
import { describe, expect, test } from "vitest";
import { leaveAfter, openChat } from "../../robustness/chat-client.ts";
import { until } from "../../support/eventually.ts";
import { chatWorld, costUsd, language, prices, provider, recordsOf, textOf } from "./chat-gateway.ts";

const north = (model: string, more: object = {}) => ({ provider: "north", model, ...more });
const quay = (model: string, more: object = {}) => ({ provider: "quay", model, ...more });
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };
const faults = [
  "fail-503",
  "fail-529",
  "429",
  "401",
  "402",
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
const first = ["200-error", "bad-json", "empty", "cut-after-0", "end-after-0", "error-after-1", "error-after-2", "cut-after-2"];

const world = chatWorld(
  [
    language("demo/deep", [quay("deep")], { ...able, max_output_tokens: 8000, input_modalities: ["text", "image", "file"] }),
    language("demo/newer", [quay("newer+sim-adaptive-only", { thinking: "adaptive" })], able),
    language("demo/older", [quay("older+sim-budget-only")], { ...able, max_output_tokens: 8000 }),
    language("demo/cached", [quay("cached+sim-prompt-tokens-1000+sim-cached-700+sim-cache-write-200")]),
    language("demo/silent", [quay("silent+sim-no-usage")]),
    language("demo/refusing", [quay("refusing+sim-finish-filtered")]),
    language("demo/context", [quay("context+sim-context"), north("other")]),
    language("demo/broken", [quay("broken+sim-end-after-6")]),
    language("demo/failing", [quay("failing+sim-error-after-6")]),
    language("demo/leaving", [quay("leaving+sim-prompt-tokens-900+sim-cached-500+sim-stall-after-8+sim-tokens-40")]),
    ...faults.map((fault) => language(`fault/${fault}`, [quay(`chat+sim-${fault}`), north("second")])),
    ...first.map((fault) => language(`first/${fault}`, [quay(`stream+sim-${fault}`), north("second")])),
    language("demo/back", [north("back+sim-fail-503"), quay("second")]),
    language("demo/n", [quay("n"), north("n")]),
  ],
  { providers: [provider("north"), provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" })] },
);

const weather = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: { place: { type: "string" } } } },
};

describe("answers", () => {
  test("whole and streamed say the same and cost the same, to the last digit", async () => {
    const account = await world.account();
    const whole = await world.chat(account, { model: "demo/deep" });
    expect(whole.status).toBe(200);
    expect(whole.json).toMatchObject({ model: "demo/deep", choices: [{ message: { role: "assistant" }, finish_reason: "stop" }] });
    expect(whole.json.usage.cost).toBe(costUsd(whole.json.usage, prices));
    const streamed = await world.chat(account, { model: "demo/deep", stream: true, stream_options: { include_usage: true } });
    expect(textOf(streamed)).toBe(whole.json.choices[0].message.content);
    const records = recordsOf(streamed);
    expect(records.at(-1)).toBe("[DONE]");
    expect(records.at(-2).usage).toEqual(whole.json.usage);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * whole.json.usage.cost, 10);
  });

  test("a prompt read from and written to the cache is charged by bucket", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), {
        model: "demo/cached",
        stream,
        stream_options: stream ? { include_usage: true } : null,
      });
      const { usage } = stream ? recordsOf(reply).at(-2) : reply.json;
      expect(usage).toMatchObject({ prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 200 } });
      expect(usage.cost).toBe(costUsd(usage, prices));
      expect(usage.cache_discount).toBe((700 * (prices.input - prices.cached)) / 1e6);
      expect(await world.logOf(reply)).toMatchObject({
        input_tokens: 100n,
        cache_read_tokens: 700n,
        cache_write_tokens: 200n,
        estimated: false,
      });
    }
  });

  test("a host that says no usage: counted, whole and streamed alike", async () => {
    const replies = [await world.chat(await world.account(), { model: "demo/silent" })];
    replies.push(await world.chat(await world.account(), { model: "demo/silent", stream: true }));
    const rows = await Promise.all(replies.map((reply) => world.logOf(reply)));
    for (const row of rows) expect(row).toMatchObject({ estimated: true });
    expect(rows[0]!.cost).toBeGreaterThan(0n);
  });

  test("tools: called, answered, answered about", async () => {
    const account = await world.account();
    const asked = { role: "user", content: "use get_weather please" };
    const called = await world.chat(account, { model: "demo/deep", messages: [asked], tools: [weather] });
    const [choice] = called.json.choices;
    expect(choice).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ type: "function", function: { name: "get_weather" } }] },
    });
    const [call] = choice.message.tool_calls;
    expect(typeof JSON.parse(call.function.arguments)).toBe("object");
    const streamed = recordsOf(await world.chat(account, { model: "demo/deep", messages: [asked], tools: [weather], stream: true }));
    const pieces = streamed.flatMap((record) => record.choices?.[0].delta.tool_calls ?? []);
    expect(pieces.map((piece: any) => piece.function.arguments).join("")).toBe(call.function.arguments);
    const history = [asked, choice.message, { role: "tool", tool_call_id: call.id, content: "Rain." }];
    expect((await world.chat(account, { model: "demo/deep", messages: history, tools: [weather] })).json.choices[0].finish_reason).toBe(
      "stop",
    );
    expect((await world.chat(account, { model: "demo/deep", messages: history })).status).toBe(200); // its tools rebuilt
  });

  test("images, PDFs, a schema, cached parts and a later system message reach a strict host", async () => {
    const content = [
      { type: "text", text: "Look", cache_control: { type: "ephemeral" } },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
    ];
    const messages = [
      { role: "system", content: "A" },
      { role: "user", content },
      { role: "assistant", content: "B" },
      { role: "system", content: "C" },
      { role: "user", content: " " },
    ];
    const schema = { type: "object", properties: { age: { type: "integer", minimum: 3 } }, required: ["age"] };
    const response_format = { type: "json_schema", json_schema: { name: "x", schema } };
    const reply = await world.chat(await world.account(), {
      model: "demo/deep",
      messages,
      response_format,
      stop: ["\n", "END"],
      temperature: 1.5,
      user: "u1",
      seed: 1,
    });
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.json.choices[0].message.content)).toHaveProperty("age");
    expect(world.sent()[0]).toMatchObject({ system: "A", temperature: 1, stop_sequences: ["END"], metadata: { user_id: "u1" } });
  });

  test("thinking comes as reasoning_content, from models of both generations", async () => {
    for (const model of ["demo/older", "demo/newer"]) {
      const account = await world.account();
      const body = { model, reasoning_effort: "high", temperature: 0.3, top_p: 0.9 };
      const whole = await world.chat(account, body);
      expect(whole.status).toBe(200);
      expect(whole.json.choices[0].message.reasoning_content).toMatch(/./);
      expect(whole.json.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
      const streamed = recordsOf(await world.chat(account, { ...body, stream: true }));
      const thought = streamed.map((record) => record.choices?.[0].delta.reasoning_content ?? "").join("");
      expect(thought).toBe(whole.json.choices[0].message.reasoning_content);
      const forced = { tools: [weather], tool_choice: "required" };
      expect((await world.chat(account, { ...body, ...forced })).json.choices[0].finish_reason).toBe("tool_calls");
    }
    expect(world.sent()[0]).toMatchObject({ thinking: { type: "enabled", budget_tokens: 6400 } });
    expect(world.sent()[3]).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
  });

  test("a refusal is content_filter", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/refusing" });
    expect(reply.json.choices[0]).toMatchObject({
      finish_reason: "content_filter",
      message: { content: null, refusal: expect.stringMatching(/./) },
    });
  });
});

describe("400 request_rejected", () => {
  test("the upstream's own sentence, and no further route", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/context" });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({
      code: "request_rejected",
      message: expect.stringContaining("prompt is too long: 5000 tokens > 4096 maximum"),
    });
    expect(world.sent()).toHaveLength(1);
    await world.expectUntouched(account);
  });

  test("what can't be said in the other dialect: named, nothing sent, nothing charged", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/n", n: 2 });
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatchObject({ code: "request_rejected", param: "n" });
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
  });
});

describe("fallback between dialects", () => {
  test.each(faults)("sim-%s on the Anthropic route: the OpenAI one answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `fault/${fault}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
    expect(reply.json.usage.cost).toBe(costUsd(reply.json.usage, prices));
  });

  test.each(first)("a stream that is sim-%s before it said anything: the OpenAI route answers", async (fault) => {
    const reply = await world.chat(await world.account(), { model: `first/${fault}`, stream: true });
    expect(reply.headers).toMatchObject({ "x-svc-fallback-layer": "1" });
    expect(recordsOf(reply).at(-2).choices[0].finish_reason).toBe("stop");
  });

  test("and back: an OpenAI route fails, the Anthropic one answers", async () => {
    for (const stream of [false, true]) {
      const reply = await world.chat(await world.account(), { model: "demo/back", stream });
      expect([reply.status, reply.headers["x-svc-fallback-layer"]]).toEqual([200, "1"]);
      expect((await world.logOf(reply))!.attempts.map(({ route, outcome }) => [route, outcome])).toEqual([
        ...[
          ["north/back+sim-fail-503", expect.not.stringMatching(/^ok$/)],
          ["quay/second", "ok"],
        ],
      ]);
    }
  });
});

describe("streams that do not end", () => {
  test.each(["demo/broken", "demo/failing"])("%s: stream_interrupted, nothing charged", async (model) => {
    const account = await world.account();
    const reply = await world.chat(account, { model, stream: true });
    const records = recordsOf(reply);
    expect(records.at(-2)).toMatchObject({ choices: [{ finish_reason: "error" }], error: { code: "stream_interrupted" } });
    await world.expectUntouched(account);
  });

  test("a caller who disconnects pays for the measured prompt, by cache bucket, and for what was written", async () => {
    const account = await world.account();
    const call = openChat({ url: world.gateway.url, key: account.key, model: "demo/leaving", stream: true });
    await leaveAfter(call, 4);
    const rows = async () =>
      (await world.gateway.context.db.pool.query("select * from usage_log where account_id = $1", [account.accountId])).rows;
    await until(async () => (await rows()).length > 0, "the request is logged");
    const [row] = await rows();
    expect(row).toMatchObject({ status: "aborted", estimated: true, input_tokens: 400n, cache_read_tokens: 500n, cache_write_tokens: 0n });
    expect(row.output_tokens).toBeGreaterThan(0n);
    const exact = 400n * 500_000n + 500n * 50_000n + row.output_tokens * 1_500_000n;
    // An estimate never bills above its hold.
    expect(row.cost).toBe([(exact + 9_999n) / 10_000n, row.reserved].reduce((a: bigint, b: bigint) => (a < b ? a : b)));
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0 });
  });
});
