// POST /v1/messages over hosts of the same dialect: requests and answers pass through as far as billing allows, charged by cache bucket; and
// fallbacks between hosts of both dialects.
import { describe, expect, test } from "vitest";
import { chatWorld, language, prices, provider } from "../chat/chat-gateway.ts";
import { askMessage, eventsOf, hello, messageOf } from "./message-events.ts";

const quay = (model: string, more: object = {}) => ({ provider: "quay", model, ...more });
const north = (model: string) => ({ provider: "north", model });
const able = {
  supports_tools: true,
  supports_vision: true,
  supports_structured_outputs: true,
  supports_reasoning: true,
  input_modalities: ["text", "image", "file"],
};
const world = chatWorld(
  [
    language("demo/plain", [quay("plain")], able),
    language("demo/newer", [quay("newer+sim-adaptive-only", { thinking: "adaptive" })], able),
    language("demo/deep", [quay("deep+sim-budget-only")], { ...able, max_output_tokens: 8000 }),
    language("demo/always", [quay("always+sim-budget-only")], { ...able, reasoning_always_on: true, max_output_tokens: 10_000 }),
    language("demo/newer-always", [quay("always+sim-adaptive-only", { thinking: "adaptive" })], { ...able, reasoning_always_on: true }),
    language("demo/unthinking", [quay("unthinking")]),
    language("demo/cited", [quay("cited+sim-citations")], able),
    language("demo/interleaved", [quay("inter+sim-interleaved+sim-redacted+sim-citations")], { ...able, max_output_tokens: 8000 }),
    language("demo/rejecting", [quay("rejecting+sim-context")]),
    language("demo/cached", [quay("cached+sim-prompt-tokens-1000+sim-cached-700+sim-cache-write-200")], able),
    language("demo/silent", [quay("silent+sim-no-usage")]),
    language("demo/refusing", [quay("refusing+sim-finish-filtered")]),
    language("demo/cut", [quay("cut+sim-cut-after-6")]),
    language("demo/failing", [quay("failing+sim-error-after-6")]),
    language("demo/there", [quay("there+sim-529"), north("second")]),
    language("demo/back", [north("back+sim-fail-503"), quay("second")]),
    language("demo/chat", [north("chat")], able),
    language("demo/mixed", [north("mixed"), quay("mixed")], able),
  ],
  { providers: [provider("north"), provider("quay", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" })] },
);
const stream = { stream: true };
const ephemeral = { type: "ephemeral", ttl: "1h" };
const enabled = { type: "enabled", budget_tokens: 2000 };
const weather = { name: "get_weather", input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } };

async function served(body: object, headers: Record<string, string> = {}) {
  const reply = await askMessage(world, await world.account(), body, headers);
  expect(reply.status, reply.text).toBe(200);
  return reply;
}

describe("a conversation that may be summarized", () => {
  const compact = (value: number) => ({ edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value } }] });
  const held = async (body: object) => {
    const reply = await served({ model: "demo/plain", max_tokens: 100, ...body });
    return Number((await world.logOf(reply))!.reserved);
  };

  test("holds for the summary, where the prompt may reach its trigger", async () => {
    const usual = await held({});
    const more = await held({ context_management: compact(1) });
    expect(world.sent().at(-1)).toMatchObject({ context_management: compact(1) });
    expect(more).toBeGreaterThan(2 * usual);
    expect(await held({ compaction: { type: "summarize" } })).toBe(more);
    for (const edits of [compact(100_000), { edits: [{ type: "compact_20260112" }] }, { edits: [{ type: "clear_tool_uses_20250919" }] }])
      expect(await held({ context_management: edits })).toBe(usual);
  });

  test("its summary goes back as it came; a model of another dialect does not read it", async () => {
    const summary = { type: "compaction", content: "A talk.", encrypted_content: "enc", signature: "EqQB" };
    const messages = [{ role: "assistant", content: [summary] }, hello[0]];
    const account = await world.account();
    const refused = await askMessage(world, account, { model: "demo/chat", messages });
    expect([refused.status, refused.json.error.code]).toEqual([400, "unsupported_content"]);
    expect(world.sent()).toEqual([]);
    await served({ model: "demo/plain", messages });
    expect(JSON.stringify(world.sent()[0])).toContain(JSON.stringify(summary));
  });
});

describe("the request passes through", () => {
  test("blocks with all their fields, tools with theirs, as they were sent", async () => {
    const passed = {
      system: [{ type: "text", text: "Be short.", cache_control: ephemeral }],
      messages: [
        {
          role: "user",
          content: [
            {
              type: "document",
              source: { type: "text", media_type: "text/plain", data: "One." },
              title: "A",
              citations: { enabled: true },
            },
            { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
            { type: "text", text: "Hello", cache_control: ephemeral },
          ],
        },
      ],
      tools: [{ ...weather, description: "Says it.", strict: true, cache_control: ephemeral }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      stop_sequences: ["END"],
      temperature: 0.5,
      max_tokens: 300,
      context_management: { edits: [] },
    };
    const dear = { service_tier: "auto", speed: "fast", inference_geo: "us", container: "box", mcp_servers: [] };
    const ignored = { ...dear, metadata: { user_id: "u", team: "red" } };
    await served({ model: "demo/plain", ...passed, ...ignored });
    expect(world.sent()).toEqual([{ model: "plain", ...passed, metadata: { user_id: "u" } }]);
  });

  test("members that are null were not given: none goes out", async () => {
    const nulls = { system: null, tools: null, tool_choice: null, thinking: null, temperature: null, top_p: null, top_k: null };
    await served({ model: "demo/plain", max_tokens: 300, ...nulls, stop_sequences: null, stream: null, other: null, thread: null });
    expect(world.sent()).toEqual([{ model: "plain", max_tokens: 300, messages: hello }]);
  });

  test("no cap from the caller: the model's own goes out, which such hosts want", async () => {
    await served({ model: "demo/plain", max_tokens: undefined });
    expect(world.sent()[0]!.max_tokens).toBe(1000);
  });

  test.each(["demo/deep", "demo/newer"])("%s: a history of our own answers, without unsigned thinking", async (model) => {
    const messages = [{ role: "user", content: "What is the weather? use tool get_weather" }];
    const request = { model, tools: [weather], messages, thinking: enabled, max_tokens: 4000 };
    const first = (await served(request)).json;
    expect(first).toMatchObject({ stop_reason: "tool_use", content: [{ type: "thinking" }, { type: "tool_use" }] });
    const { content } = first;
    const results = [{ type: "tool_result", tool_use_id: content[1].id, content: "Rain." }];
    const second = await served({
      ...request,
      messages: [...messages, { role: "assistant", content }, { role: "user", content: results }],
    });
    expect(second.json.stop_reason).toBe("end_turn");
    const sent = world.sent().at(-1)!;
    expect((sent.messages as { content: object[] }[])[1]!.content).toEqual([content[1]]);
    expect(JSON.stringify(sent)).not.toMatch(/budget_tokens|"signature"/);
  });
});

describe("thinking", () => {
  const thinkingSent = async (body: object) => {
    await served({ max_tokens: 4000, ...body });
    return world.sent().at(-1)!.thinking;
  };

  test("a budget is sent on the first turn, below the cap, as an older host needs it", async () => {
    expect(await thinkingSent({ model: "demo/deep", thinking: enabled })).toEqual(enabled);
    expect(await thinkingSent({ model: "demo/deep", thinking: { type: "enabled", budget_tokens: 9000 } })).toEqual({
      type: "enabled",
      budget_tokens: 3999,
    });
  });

  test("after a tool call it goes out without the budget", async () => {
    const messages = [
      ...hello,
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_weather", input: { city: "Kiel" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Rain." }] },
    ];
    expect(
      JSON.stringify((await thinkingSent({ model: "demo/deep", thinking: enabled, messages, tools: [weather] })) ?? null),
    ).not.toContain("budget");
    expect(await thinkingSent({ model: "demo/newer", max_tokens: 900, thinking: enabled, messages, tools: [weather] })).toEqual({
      type: "adaptive",
    });
  });

  test("of a model that cannot switch it off runs at low: the low share of the cap on a host of budgets, the effort on another", async () => {
    const disabled = { thinking: { type: "disabled" }, temperature: 0.4 };
    const low = { type: "enabled", budget_tokens: 2000 };
    const sentFor = async (body: object) => {
      await served({ ...disabled, ...body });
      return world.sent().at(-1)!;
    };
    const sent = await sentFor({ model: "demo/always", max_tokens: 10_000 });
    expect([sent.thinking, sent.output_config, sent.temperature]).toEqual([low, undefined, undefined]);
    const uncapped = await sentFor({ model: "demo/always", max_tokens: undefined, output_config: { effort: "high" } });
    expect([uncapped.thinking, uncapped.output_config]).toEqual([low, undefined]);
    const short = await sentFor({ model: "demo/always", max_tokens: 5000 });
    expect([short.thinking, short.output_config, short.temperature]).toEqual([undefined, undefined, 0.4]);
    const newer = await sentFor({ model: "demo/newer-always", max_tokens: 900 });
    expect([newer.thinking, newer.output_config]).toEqual([undefined, { effort: "low" }]);
    const called = [
      ...hello,
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "get_weather", input: { city: "Kiel" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Rain." }] },
    ];
    const later = await sentFor({ model: "demo/always", max_tokens: 10_000, messages: called, tools: [weather] });
    expect([later.thinking, later.output_config]).toEqual([undefined, undefined]);
  });

  test("is dropped for a model that does not reason", async () => {
    expect(await thinkingSent({ model: "demo/unthinking", thinking: enabled })).toBeUndefined();
  });
});

describe("the answer passes through", () => {
  test.each([
    ["demo/plain", {}],
    ["demo/cited", {}],
    ["demo/cached", {}],
    ["demo/refusing", {}],
    ["demo/newer", { thinking: { type: "adaptive" } }],
    ["demo/deep", { thinking: enabled, max_tokens: 4000 }],
    ["demo/interleaved", { thinking: enabled, max_tokens: 4000 }],
    ["demo/deep", { tools: [weather], tool_choice: { type: "any" } }],
    ["demo/deep", { output_config: { format: { type: "json_schema", schema: { type: "object", additionalProperties: false } } } }],
  ])("of %s to %j: whole and streamed are one message at one price", async (model, body) => {
    const account = await world.account();
    const whole = (await askMessage(world, account, { model, ...body })).json;
    const streamed = messageOf(eventsOf(await askMessage(world, account, { model, ...body, ...stream })));
    for (const message of [whole, streamed]) for (const block of message.content) if (block.citations == null) delete block.citations; // a stream opens without
    const { stop_reason, stop_sequence, usage, content } = whole;
    expect(streamed).toMatchObject({ stop_reason, stop_sequence, usage, model });
    expect(streamed.content).toEqual(content);
    for (const block of content) if (block.type === "thinking") expect(block.signature).toBe("");
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * usage.cost, 8);
  });

  test("citations come back", async () => {
    const { json } = await served({ model: "demo/cited" });
    expect(json.content.at(-1).citations).toEqual([expect.objectContaining({ type: expect.any(String) })]);
  });

  test.each([false, true])("each cache bucket is shown and charged, streamed: %s", async (streams) => {
    const reply = await served({ model: "demo/cached", stream: streams });
    const cached = { input_tokens: 100, cache_creation_input_tokens: 200, cache_read_input_tokens: 700 };
    if (streams) expect(eventsOf(reply)[0]!.data.message.usage).toEqual({ ...cached, output_tokens: 0 }); // in the start already
    const { usage } = streams ? messageOf(eventsOf(reply)) : reply.json;
    expect(usage).toMatchObject(cached);
    expect(usage.cost).toBeCloseTo((300 * prices.input + 700 * prices.cached + usage.output_tokens * prices.output) / 1e6, 8);
  });

  test("the same words cost the same over either dialect", async () => {
    const account = await world.account();
    const here = await askMessage(world, account, { model: "demo/there" });
    const there = await askMessage(world, account, { model: "demo/back" });
    expect(there.json.usage).toEqual(here.json.usage);
    expect(there.json.content[0].text).toBe(here.json.content[0].text);
    expect(here.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
    expect(there.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
  });

  test("a host that counts nothing is counted alike, whole and streamed", async () => {
    const whole = await served({ model: "demo/silent" });
    const streamed = messageOf(eventsOf(await served({ model: "demo/silent", ...stream })));
    expect(streamed.usage).toEqual(whole.json.usage);
    expect(await world.logOf(whole)).toMatchObject({ estimated: true });
  });
});

test.each(["demo/there", "demo/back"])("%s: the other dialect's host answers, whole and streamed", async (model) => {
  for (const streams of [false, true]) {
    const reply = await served({ model, stream: streams });
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
    const message = streams ? messageOf(eventsOf(reply)) : reply.json;
    expect(message).toMatchObject({ model, stop_reason: "end_turn", content: [{ type: "text" }] });
  }
});

test("400 request_rejected: the upstream's own sentence, in Anthropic's envelope", async () => {
  const reply = await askMessage(world, await world.account(), { model: "demo/rejecting" });
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ type: "error", error: { type: "invalid_request_error", code: "request_rejected" } });
  expect(reply.json.error.message).toContain("prompt is too long: 5000 tokens > 4096 maximum");
});

test("a document that is only an address goes to the route that fetches it", async () => {
  const content = [
    { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
    { type: "text", text: "Read." },
  ];
  const reply = await served({ model: "demo/mixed", messages: [{ role: "user", content }] });
  expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
  expect(world.sent()).toHaveLength(1);
});

test.each([["demo/cut"], ["demo/failing"]])("%s is interrupted: an error event, and nothing is charged", async (model) => {
  const account = await world.account();
  const events = eventsOf(await askMessage(world, account, { model, ...stream }));
  expect(events.at(-1)).toMatchObject({ event: "error", data: { error: { code: "stream_interrupted", type: "api_error" } } });
  await world.expectUntouched(account);
});

test("the beta header goes to hosts of this dialect, without those that cost more", async () => {
  await served({ model: "demo/plain" }, { "anthropic-beta": "context-management-2025-06-27,context-1m-2025-08-07" });
  expect(world.gateway.simulator.calls()[0]!.headers["anthropic-beta"]).toBe("context-management-2025-06-27");
});
