// POST /v1/responses with stream: true: the records in OpenAI's order, the charge, and interrupted streams.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { eventsOf, respond, typesOf, weather } from "./responses-gateway.ts";

const can = { supports_tools: true, supports_structured_outputs: true };
const world = chatWorld([
  language("demo/chat", ["chat"], can),
  language("demo/reason", ["reason-1"], { ...can, supports_reasoning: true }),
  language("demo/null-tools", ["chat+sim-null-tool-fields"], can),
  language("demo/whole-tools", ["chat+sim-no-tool-index"], can),
  language("demo/uncounted", ["chat+sim-no-usage+sim-tokens-40"]),
  language("demo/filtered", ["chat+sim-finish-filtered"]),
  language("demo/cut", ["chat+sim-cut-after-5"]),
  language("demo/ended", ["chat+sim-end-after-5"]),
  language("demo/error", ["chat+sim-error-after-5"]),
  language("demo/paced", ["chat+sim-pace-20ms+sim-tokens-500"]),
  language("demo/down", ["chat+sim-fail-503"]),
]);
const stream = async (body: object) => respond(world, await world.account(), { stream: true, ...body });
const frame = ["response.created", "response.in_progress"];

describe("200, the records", () => {
  test("of a text: created, in progress, item, part, deltas, their ends, completed; no [DONE]", async () => {
    const reply = await stream({ model: "demo/chat" });
    expect(reply.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const events = eventsOf(reply);
    expect(typesOf(events)).toEqual([
      ...frame,
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    const [{ response }] = events;
    expect(response).toMatchObject({ status: "in_progress", output: [], usage: null, completed_at: null });
    const text = events.flatMap(({ type, delta }) => (type === "response.output_text.delta" ? [delta] : [])).join("");
    expect(events.find(({ type }) => type === "response.output_text.done").text).toBe(text);
    const { response: ended } = events.at(-1);
    expect(ended).toMatchObject({ id: response.id, status: "completed", output: [{ content: [{ text }] }] });
    expect(events.at(-2).item).toEqual(ended.output[0]);
    expect(reply.text).not.toContain("[DONE]");
  });

  test.each([
    ["demo/chat", {}],
    ["demo/reason", {}],
    ["demo/uncounted", {}],
    ["demo/chat", { input: "Use get_weather and get_time", tools: [weather, { ...weather, name: "get_time" }] }],
    ["demo/chat", { tools: [{ type: "custom", name: "patch" }], tool_choice: "required" }],
    ["demo/chat", { max_output_tokens: 4 }],
    ["demo/filtered", {}],
  ])("of %s %j end with what the whole answer is, at the same cost", async (model, body) => {
    const account = await world.account();
    const whole = await respond(world, account, { model, ...body });
    const streamed = await respond(world, account, { model, ...body, stream: true });
    const { type, response } = eventsOf(streamed).at(-1);
    expect(type).toBe(`response.${whole.json.status}`);
    const timeless = ({ completed_at: _, created_at: __, ...response }: Record<string, unknown>, { headers }: typeof whole) =>
      JSON.stringify(response)
        .replaceAll(headers["x-request-id"]!.slice("req_".length), "ID")
        .replaceAll(/"completed_at":\d+/g, "");
    expect(timeless(response, streamed)).toBe(timeless(whole.json, whole));
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * whole.json.usage.cost, 8);
  });

  test("of thinking come before the text, as a summary", async () => {
    const types = typesOf(eventsOf(await stream({ model: "demo/reason" })));
    expect(types.slice(2, 9)).toEqual([
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
    ]);
  });

  test.each([["demo/chat"], ["demo/null-tools"], ["demo/whole-tools"]])(
    "of parallel calls of %s carry each call's place",
    async (model) => {
      const tools = [weather, { ...weather, name: "get_time" }];
      const events = eventsOf(await stream({ model, input: "Use get_weather and get_time", tools }));
      const added = events.filter(({ type }) => type === "response.output_item.added");
      expect(added.map(({ output_index, item }) => [output_index, item.name, item.arguments])).toEqual([
        [0, "get_weather", ""],
        [1, "get_time", ""],
      ]);
      for (const { output_index, item } of added) {
        const own = events.filter((event) => event.item_id === item.id);
        expect(new Set(own.map((event) => event.output_index))).toEqual(new Set([output_index]));
        const { arguments: whole } = own.find(({ type }) => type === "response.function_call_arguments.done");
        expect(own.flatMap(({ delta }) => delta ?? []).join("")).toBe(whole);
        expect(JSON.parse(whole)).toEqual({ city: expect.any(String) });
      }
    },
  );

  test("of a custom tool carry its input as text", async () => {
    const events = eventsOf(await stream({ model: "demo/chat", tools: [{ type: "custom", name: "patch" }], tool_choice: "required" }));
    expect(typesOf(events).slice(2, -1)).toEqual([
      "response.output_item.added",
      "response.custom_tool_call_input.delta",
      "response.custom_tool_call_input.done",
      "response.output_item.done",
    ]);
    expect(events.at(-2).item).toMatchObject({ type: "custom_tool_call", input: events.at(-3).input });
  });
});

describe("200, an interrupted stream", () => {
  test.each([["demo/cut"], ["demo/ended"], ["demo/error"]])(
    "%s: error and response.failed say stream_interrupted, and nothing is charged",
    async (model) => {
      const account = await world.account();
      const reply = await respond(world, account, { model, stream: true });
      const [fault, failed] = eventsOf(reply).slice(-2);
      const error = {
        type: "upstream_error",
        code: "stream_interrupted",
        message: expect.any(String),
        param: null,
        retryable: true,
        request_id: reply.headers["x-request-id"],
        doc_url: `${world.gateway.url}/docs/errors#stream_interrupted`,
      };
      expect(fault).toMatchObject({ type: "error", code: error.code, message: error.message, param: null, error });
      expect(failed).toMatchObject({ type: "response.failed", response: { status: "failed", error, usage: null, completed_at: null } });
      expect(failed.response.output[0]).toMatchObject({ type: "message", status: "in_progress" });
      await world.expectUntouched(account);
      expect(await world.logOf(reply)).toMatchObject({ status: "failed", error_code: "stream_interrupted", cost: 0n });
    },
  );

  test("before its first record it is a plain error", async () => {
    const { status, json } = await stream({ model: "demo/down" });
    expect([status, json.error.code]).toEqual([503, "provider_unavailable"]);
  });
});

test("a client that disconnects pays for what was delivered", async () => {
  const account = await world.account();
  const controller = new AbortController();
  const response = await fetch(`${world.gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo/paced", input: "Hello", stream: true }),
    signal: controller.signal,
  });
  const reader = response.body!.getReader();
  let seen = "";
  while (seen.split("response.output_text.delta").length < 6) seen += Buffer.from((await reader.read()).value!).toString();
  controller.abort();
  await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
  const { spent } = await world.gateway.balance(account);
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThan(0.0007); // all 500 tokens cost 0.00075
});
