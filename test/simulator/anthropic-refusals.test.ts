// What a real Anthropic host refuses and a translator could send; each in the host's own words.
import { describe, expect, test } from "vitest";
import { useSimulator, userMessage } from "./simulator-fixture.ts";
import { ask, message, postMessages, weatherTool } from "./anthropic-fixture.ts";

const simulator = useSimulator();
const thinking = { type: "enabled", budget_tokens: 1024 };
const tools = [weatherTool];
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const call = (id: string) => ({ type: "tool_use", id, name: "get_weather", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "sunny" });
const said = (text: string) => ({ type: "text", text });
const history = (...messages: unknown[]) => ({ tools, messages: [user("weather?"), ...messages] });

describe("refused with 400 invalid_request_error", () => {
  const rows: [string, Record<string, unknown>, RegExp][] = [
    ["no model", { model: undefined }, /^model: Field required/],
    ["no max_tokens", { max_tokens: undefined }, /^max_tokens: Field required/],
    ["max_tokens 0", { max_tokens: 0 }, /^max_tokens: .*greater than or equal to 1/],
    ["no messages", { messages: undefined }, /^messages: Field required/],
    ["empty messages", { messages: [] }, /at least one message/],
    ["a field of another protocol", { frequency_penalty: 1 }, /^frequency_penalty: Extra inputs are not permitted/],
    ["response_format", { response_format: { type: "json_object" } }, /^response_format: Extra inputs/],
    ["a field inside a message", { messages: [{ ...user("hi"), name: "bob" }] }, /^messages.0.name: Extra inputs/],
    ["a field inside a block", { messages: [user([{ ...said("hi"), detail: "low" }])] }, /^messages.0.content.0.text.detail: Extra inputs/],
    ["empty text", { messages: [user([said("")])] }, /text content blocks must be non-empty/],
    ["white space", { messages: [user([said(" \n")])] }, /must contain non-whitespace text/],
    ["an empty message", { messages: [user("")] }, /must have non-empty content/],
    ["an empty system block", { system: [said("")] }, /^system: text content blocks must be non-empty/],
    ["an assistant first", { messages: [assistant("hi"), user("hi")] }, /first message must use the "user" role/],
    ["a system message first", { messages: [{ role: "system", content: "hi" }, user("hi")] }, /first message must use the "user" role/],
    ["another role", { messages: [user("hi"), { role: "tool", content: "hi" }] }, /Unexpected role "tool"/],
    ["a prefill with white space behind", { messages: [user("hi"), assistant("so ")] }, /trailing whitespace/],
    ["an unknown block", { messages: [user([{ type: "image_url" }])] }, /Input tag 'image_url'/],
    ["an image of a wrong type", { messages: [user([image("image/bmp")])] }, /media_type: Input should be/],
    ["an image over http", { messages: [user([{ type: "image", source: { type: "url", url: "http://x.example/a.png" } }])] }, /HTTPS/],
    [
      "an image said by the assistant",
      { messages: [user("hi"), assistant([image("image/png")]), user("hi")] },
      /not permitted in assistant/,
    ],
    ["a call without a result", history(assistant([call("a")]), user("go on")), /ids were found without `tool_result` blocks .* a\./],
    ["a call in the last message", history(assistant([call("a")])), /without `tool_result`/],
    ["one of two results", history(assistant([call("a"), call("b")]), user([result("a")])), /immediately after: b\./],
    ["a result without a call", history(assistant("no"), user([result("a")])), /unexpected `tool_use_id` found/],
    ["two results of one call", history(assistant([call("a")]), user([result("a"), result("a")])), /must have a single result/],
    ["a result behind text", history(assistant([call("a")]), user([said("so"), result("a")])), /must come before/],
    ["a call's id twice", history(assistant([call("a"), call("a")]), user([result("a")])), /ids must be unique/],
    [
      "an input as text",
      history(assistant([{ ...call("a"), input: "{}" }]), user([result("a")])),
      /input: Input should be a valid dictionary/,
    ],
    ["an id with a dot", history(assistant([call("a.b")]), user([result("a.b")])), /should match pattern/],
    ["calls without tools", { ...history(assistant([call("a")]), user([result("a")])), tools: undefined }, /must define tools/],
    ["a tool's name with a dot", { tools: [{ ...weatherTool, name: "a.b" }] }, /^tools.0.custom.name: String should match/],
    ["a tool without a schema", { tools: [{ name: "a" }] }, /input_schema: Field required/],
    ["a schema without type", { tools: [{ name: "a", input_schema: {} }] }, /input_schema.type: Field required/],
    ["an OpenAI tool", { tools: [{ type: "function", function: { name: "a" } }] }, /name: Field required/],
    ["a tool twice", { tools: [weatherTool, weatherTool] }, /Tool names must be unique/],
    ["a choice without tools", { tool_choice: { type: "auto" } }, /may only be specified while providing tools/],
    ["an OpenAI choice", { tools, tool_choice: "required" }, /^tool_choice: Input should be a valid dictionary/],
    ["a choice of no tool", { tools, tool_choice: { type: "tool", name: "x" } }, /Tool 'x' not found/],
    ["temperature above 1", { temperature: 1.2 }, /^temperature: .*less than or equal to 1/],
    ["a budget below 1024", { thinking: { type: "enabled", budget_tokens: 1023 } }, /greater than or equal to 1024/],
    ["a budget of max_tokens", { thinking: { type: "enabled", budget_tokens: 2000 } }, /`max_tokens` must be greater than/],
    ["no budget", { thinking: { type: "enabled" } }, /budget_tokens: Field required/],
    ["thinking with a forced tool", { thinking, tools, tool_choice: { type: "any" } }, /Thinking may not be enabled when tool_choice/],
    ["thinking with a temperature", { thinking, temperature: 0.5 }, /may only be set to 1 when thinking is enabled/],
    ["thinking, results, none before", { thinking, ...history(assistant([call("a")]), user([result("a")])) }, /Expected `thinking`/],
    ["a foreign signature", history(assistant([thought("abc"), said("x")]), user("go on")), /Invalid `signature` in `thinking` block/],
    ["an empty signature", history(assistant([thought(""), said("x")]), user("go on")), /Invalid `signature` in `thinking` block/],
    ["foreign redacted thinking", history(assistant([{ type: "redacted_thinking", data: "x" }, said("x")]), user("on")), /Invalid `data`/],
    ["metadata of another kind", { metadata: { team: "a" } }, /^metadata.team: Extra inputs/],
    ["an empty stop sequence", { stop_sequences: ["\n"] }, /must contain non-whitespace/],
    ["an open output schema", { output_config: { format: { type: "json_schema", schema: { type: "object" } } } }, /additionalProperties/],
    [
      "five cache marks",
      { messages: [user(Array.from({ length: 5 }, () => ({ ...said("x"), cache_control: { type: "ephemeral" } })))] },
      /maximum of 4/,
    ],
    ["a budget where thinking is adaptive", { model: "m+sim-adaptive-only", thinking }, /"thinking.type.enabled" is not supported/],
    ["a temperature there", { model: "m+sim-adaptive-only", temperature: 1 }, /`temperature` is deprecated for this model/],
    [
      "a prefill there",
      { model: "m+sim-adaptive-only", messages: [user("hi"), assistant("so")] },
      /does not support assistant message prefill/,
    ],
    [
      "adaptive where thinking has budgets",
      { model: "m+sim-budget-only", thinking: { type: "adaptive" } },
      /adaptive thinking is not supported/,
    ],
  ];
  test.each(rows)("%s", async (_, more, wording) => {
    const reply = await postMessages(simulator.current, ask("m", more));
    const body: any = await reply.json();
    expect([reply.status, body.type, body.error?.type]).toEqual([400, "error", "invalid_request_error"]);
    expect(body.error.message).toMatch(wording);
    expect(reply.headers.get("request-id")).toBe(body.request_id);
  });

  test("a missing anthropic-version, and sampling under the newest", async () => {
    const missing: any = await (await postMessages(simulator.current, ask("m"), "/messages", "")).json();
    expect(missing.error.message).toBe("anthropic-version: header is required");
    const newest = await postMessages(simulator.current, ask("m", { temperature: 1 }), "/messages", "2026-10-21");
    expect(newest.status).toBe(400);
    expect((await postMessages(simulator.current, ask("m"), "/messages", "2026-10-21")).status).toBe(200);
  });
});

describe("taken", () => {
  test("thinking sent back with its calls, as it came or hidden; changed by a letter it is refused", async () => {
    for (const display of ["summarized", "omitted"]) {
      const asked = { thinking: { ...thinking, display }, tools, messages: userMessage("weather?") };
      const { content } = await message(simulator.current, "m+sim-redacted", asked);
      const answer = user([result(content.at(-1).id), said("and?")]);
      const back = { ...asked, messages: [...asked.messages, assistant(content), answer] };
      expect(await message(simulator.current, "m", back)).toMatchObject({ type: "message" });
      const changed = content.map((block: any) => (block.type === "thinking" ? { ...block, thinking: "Something else." } : block));
      const refused = await message(simulator.current, "m", { ...asked, messages: [...asked.messages, assistant(changed), answer] });
      expect(refused.error.message).toContain("Invalid `signature`");
    }
  });

  test("every documented field, images, documents, neighbours of one role, a system message between", async () => {
    const reply = await message(simulator.current, "m", {
      system: [{ ...said("Be brief."), cache_control: { type: "ephemeral" } }],
      messages: [
        user([image("image/png"), { type: "document", source: { type: "text", media_type: "text/plain", data: "x" }, title: "T" }]),
        user("and"),
        { role: "system", content: "Be kind." },
        assistant([call("a")]),
        user([result("a")]),
        user("so?"),
      ],
      tools,
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      temperature: 0.3,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ["never"],
      metadata: { user_id: "u" },
      output_config: { effort: "low" },
      service_tier: "auto",
      speed: "standard",
      container: null,
      inference_geo: null,
      context_management: { edits: [] },
      mcp_servers: [],
      cache_control: { type: "ephemeral" },
    });
    expect(reply).toMatchObject({ type: "message", stop_reason: "end_turn" });
  });
});

function image(mediaType: string): unknown {
  return { type: "image", source: { type: "base64", media_type: mediaType, data: "AAAA" } };
}

function thought(signature: string): unknown {
  return { type: "thinking", thinking: "Hm.", signature };
}
