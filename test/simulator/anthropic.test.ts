// What a message answers over the anthropic protocol: blocks, events, counts, limits, tools, and the directives that bend them.
import { describe, expect, test } from "vitest";
import { countTokens } from "../../src/simulator/prose.ts";
import { ask, message, postMessages, readEvents, timeTool, weatherTool } from "./anthropic-fixture.ts";
import { userMessage, useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const thinking = { type: "enabled", budget_tokens: 1024 };

/** A message put together from its events, as a client does it. */
function assemble(events: { data: any }[]): any {
  const whole = events[0]!.data.message;
  const json: string[] = [];
  for (const { data } of events) {
    const block = whole.content[data.index];
    if (data.type === "content_block_start") whole.content[data.index] = { ...data.content_block };
    if (data.type === "message_delta") Object.assign(whole, data.delta, { usage: { ...whole.usage, ...data.usage } });
    if (data.type !== "content_block_delta") continue;
    const { delta } = data;
    if (delta.type === "text_delta") block.text += delta.text;
    if (delta.type === "thinking_delta") block.thinking += delta.thinking;
    if (delta.type === "signature_delta") block.signature = delta.signature;
    if (delta.type === "citations_delta") block.citations.push(delta.citation);
    if (delta.type === "input_json_delta") json[data.index] = (json[data.index] ?? "") + delta.partial_json;
  }
  for (const [index, text] of json.entries()) if (text) whole.content[index].input = JSON.parse(text);
  return whole;
}

describe("whole and streamed", () => {
  const requests: [string, string, Record<string, unknown>][] = [
    ["text", "m", {}],
    ["thinking and text", "m", { thinking }],
    ["hidden thinking", "m", { thinking: { type: "adaptive", display: "omitted" } }],
    ["parallel tools", "m", { tools: [weatherTool, timeTool], messages: userMessage("get_weather and get_time") }],
    ["thinking, text, thinking, a tool", "m+sim-interleaved", { thinking, tools: [weatherTool], messages: userMessage("weather?") }],
    ["redacted thinking", "m+sim-redacted", {}],
    ["citations", "m+sim-citations", {}],
    ["a cut", "m", { max_tokens: 5 }],
    ["a stop sequence", "m", { stop_sequences: ["sea"] }],
    ["a refusal", "m+sim-finish-filtered", {}],
    ["caches", "m+sim-cached-3+sim-cache-write-2", {}],
  ];
  for (const [name, model, more] of requests) {
    test(`${name}: the events of a stream make the whole message`, async () => {
      const whole = await message(simulator.current, model, more);
      const { events } = await readEvents(simulator.current, model, more);
      const streamed = assemble(events);
      for (const block of streamed.content) if (block.type === "text") block.citations ??= null;
      expect(streamed).toEqual({ ...whole, container: undefined });
    });
  }

  test("the order of events, each under its name, without [DONE]", async () => {
    const more = { thinking, tools: [weatherTool], messages: userMessage("weather?") };
    const { text, events, names } = await readEvents(simulator.current, "m+sim-interleaved", more);
    expect(events.every(({ name, data }) => name === data.type)).toBe(true);
    expect(names.slice(0, 4)).toEqual(["message_start", "ping", "content_block_start", "content_block_delta"]);
    expect(names.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    const starts = events.filter(({ name }) => name === "content_block_start").map(({ data }) => [data.index, data.content_block.type]);
    expect(starts).toEqual([
      [0, "thinking"],
      [1, "text"],
      [2, "thinking"],
      [3, "tool_use"],
    ]);
    expect(events.find(({ data }) => data.delta?.type === "input_json_delta")!.data.delta.partial_json).toBe("");
    expect(text).not.toContain("[DONE]");
  });
});

describe("what is said", () => {
  test("max_tokens is kept exactly; the shorter answer begins the longer", async () => {
    const whole = await message(simulator.current, "m");
    expect(whole).toMatchObject({ type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null });
    expect(whole.usage.output_tokens).toBe(countTokens(whole.content[0].text));
    const short = await message(simulator.current, "m", { max_tokens: 7 });
    expect(short).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 7 } });
    expect(whole.content[0].text.startsWith(short.content[0].text)).toBe(true);
    expect((await message(simulator.current, "m+sim-tokens-321")).usage.output_tokens).toBe(321);
    expect(await message(simulator.current, "m+sim-tokens-0")).toMatchObject({ content: [], stop_reason: "end_turn" });
  });

  test("a stop sequence is named and left out", async () => {
    expect(await message(simulator.current, "m", { stop_sequences: ["never", "sea"] })).toMatchObject({
      content: [{ type: "text", text: 'You said: "Tell me about the ' }],
      stop_reason: "stop_sequence",
      stop_sequence: "sea",
    });
  });

  test("thinking comes first, signed, and is inside output_tokens; effort decides how long", async () => {
    const reply = await message(simulator.current, "m", { thinking });
    const [thought, text] = reply.content;
    expect(thought).toEqual({ type: "thinking", thinking: expect.any(String), signature: expect.stringMatching(/.{40}/) });
    expect(reply.usage.output_tokens_details.thinking_tokens).toBe(countTokens(thought.thinking));
    expect(reply.usage.output_tokens).toBe(countTokens(thought.thinking) + countTokens(text.text));
    const low = await message(simulator.current, "m", { thinking: { type: "adaptive" }, output_config: { effort: "low" } });
    expect(low.usage.output_tokens_details.thinking_tokens).toBe(16);
    expect((await message(simulator.current, "reason", {})).content[0].type).toBe("text");
    expect((await message(simulator.current, "m", { thinking: { type: "disabled" } })).content[0].type).toBe("text");
    expect((await message(simulator.current, "m+sim-reasoning-tokens-3")).usage.output_tokens_details.thinking_tokens).toBe(3);
  });

  test("a document keeps to the schema of output_config.format", async () => {
    const schema = {
      type: "object",
      properties: { mood: { enum: ["calm", "wild"] } },
      required: ["mood"],
      additionalProperties: false,
    };
    const reply = await message(simulator.current, "m", { output_config: { format: { type: "json_schema", schema } } });
    expect(["calm", "wild"]).toContain(JSON.parse(reply.content[0].text).mood);
  });

  test("finish directives: refusal with details, pause_turn, the window", async () => {
    expect(await message(simulator.current, "m+sim-finish-filtered")).toMatchObject({
      stop_reason: "refusal",
      stop_details: { type: "refusal" },
    });
    expect((await message(simulator.current, "m+sim-finish-pause")).stop_reason).toBe("pause_turn");
    expect((await message(simulator.current, "m+sim-finish-window")).stop_reason).toBe("model_context_window_exceeded");
  });
});

describe("tools", () => {
  const tools = [weatherTool, timeTool];
  const called = (reply: any) => reply.content.filter(({ type }: any) => type === "tool_use").map(({ name }: any) => name);

  test("auto calls what the message names, any forces one, tool the named one, none nothing", async () => {
    expect(called(await message(simulator.current, "m", { tools }))).toEqual([]);
    expect(called(await message(simulator.current, "m", { tools, tool_choice: { type: "any" } }))).toEqual(["get_weather"]);
    expect(called(await message(simulator.current, "m", { tools, tool_choice: { type: "tool", name: "get_time" } }))).toEqual(["get_time"]);
    const both = { tools, messages: userMessage("get_time, get_weather") };
    expect(called(await message(simulator.current, "m", both))).toEqual(["get_weather", "get_time"]);
    expect(called(await message(simulator.current, "m", { ...both, tool_choice: { type: "none" } }))).toEqual([]);
    const single = { type: "auto", disable_parallel_tool_use: true };
    expect(called(await message(simulator.current, "m", { ...both, tool_choice: single }))).toEqual(["get_weather"]);
  });

  test("input keeps to the schema; after the results comes text", async () => {
    const first = await message(simulator.current, "m", { tools, messages: userMessage("weather?") });
    expect(first).toMatchObject({ stop_reason: "tool_use", content: [{ type: "tool_use", id: expect.stringMatching(/^toolu_/) }] });
    const { id, input } = first.content[0];
    expect(input).toEqual({ city: expect.any(String), days: expect.any(Number) });
    expect([1, 2, 3]).toContain(input.days);
    const messages = [
      ...userMessage("weather?"),
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }] },
    ];
    expect((await message(simulator.current, "m", { tools, messages })).content[0].type).toBe("text");
  });

  test("a limit in the middle of an input: max_tokens, half an argument streamed, an empty input whole", async () => {
    const more = { tools, messages: userMessage("weather?"), max_tokens: 5 };
    expect(await message(simulator.current, "m", more)).toMatchObject({ stop_reason: "max_tokens", content: [{ input: {} }] });
    const { events } = await readEvents(simulator.current, "m", more);
    const json = events.map(({ data }) => data.delta?.partial_json ?? "").join("");
    expect(json.length).toBeGreaterThan(0);
    expect(() => JSON.parse(json)).toThrow();
  });

  test("sim-whole-tool-calls: the input comes with the block's start", async () => {
    const { events } = await readEvents(simulator.current, "m+sim-whole-tool-calls", { tools, messages: userMessage("weather?") });
    expect(events.some(({ data }) => data.delta?.type === "input_json_delta")).toBe(false);
    expect(events.find(({ name }) => name === "content_block_start")!.data.content_block.input).toHaveProperty("city");
  });
});

describe("usage", () => {
  test("input is what caches leave over; all figures can be forced", async () => {
    const plain = (await message(simulator.current, "m")).usage;
    expect(plain).toMatchObject({ input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 });
    const forced = "m+sim-prompt-tokens-1000+sim-cached-600+sim-cache-write-300+sim-completion-tokens-20";
    const expected = { input_tokens: 100, cache_read_input_tokens: 600, cache_creation_input_tokens: 300, output_tokens: 20 };
    expect((await message(simulator.current, forced)).usage).toMatchObject({
      ...expected,
      cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
    });
    const system = [{ type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } }];
    expect((await message(simulator.current, forced, { system })).usage.cache_creation).toEqual({
      ephemeral_5m_input_tokens: 0,
      ephemeral_1h_input_tokens: 300,
    });
    const { events } = await readEvents(simulator.current, forced);
    expect(events[0]!.data.message.usage).toMatchObject({ ...expected, output_tokens: 1 });
    expect(events.at(-2)!.data.usage).toMatchObject(expected);
  });

  test("the same prompt costs the same over both protocols", async () => {
    const messages = [...userMessage("Grüße 🌊"), { role: "assistant", content: "Yes." }, ...userMessage("More!")];
    const chat = await fetch(`${simulator.current.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages }),
    });
    const { usage }: any = await chat.json();
    expect((await message(simulator.current, "m", { messages })).usage.input_tokens).toBe(usage.prompt_tokens);
  });

  test("sim-no-usage leaves it out, sim-usage-twice sends a message_delta before the last", async () => {
    expect(await message(simulator.current, "m+sim-no-usage")).not.toHaveProperty("usage");
    const none = (await readEvents(simulator.current, "m+sim-no-usage")).events;
    expect(none[0]!.data.message.usage).toEqual({});
    expect(none.at(-2)!.data).not.toHaveProperty("usage");
    const twice = (await readEvents(simulator.current, "m+sim-usage-twice")).events.filter(({ name }) => name === "message_delta");
    expect(twice.map(({ data }) => [data.delta.stop_reason, data.usage.input_tokens])).toEqual([
      [null, 10],
      ["end_turn", 10],
    ]);
  });

  test("count_tokens counts the same, without max_tokens", async () => {
    const { max_tokens: _, ...counted } = ask("m", { system: "Be brief.", tools: [weatherTool] });
    const reply: any = await (await postMessages(simulator.current, counted, "/messages/count_tokens")).json();
    const { usage } = await message(simulator.current, "m", { system: "Be brief.", tools: [weatherTool] });
    expect(reply).toEqual({ input_tokens: usage.input_tokens });
  });
});
