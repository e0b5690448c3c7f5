// What reaches a Claude upstream for a message request: the caller's text without what the upstream would refuse, what costs more, and
// what needs state.
import { describe, expect, test } from "vitest";
import { json } from "../openai/chat-fixture.ts";
import { startHost } from "../upstream-fixture.ts";
import { answer, ask, sentFor } from "./message-fixture.ts";

const hi = { role: "user", content: "Hi" };
const body = (more: object = {}) => ({ model: "claude-up", max_tokens: 4000, messages: [hi], ...more });
const thinkingSent = async (more: object, thinking: "adaptive" | "budget" = "budget") => (await sentFor(body(more), { thinking })).thinking;
const call = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "sea" }] };
const tools = [{ name: "look", input_schema: { type: "object" } }];

describe("headers", () => {
  const headersFor = async (options: object) => {
    const host = await startHost(json(200, JSON.stringify(answer([]))));
    await ask(host, options);
    expect(host.requests[0]).toMatchObject({ method: "POST", url: "/v1/messages" });
    return host.requests[0]!.headers;
  };
  test("the key as x-api-key, the version, the caller's betas", async () => {
    const headers = await headersFor({ betas: "interleaved-thinking-2025-05-14, files-api-2025-04-14" });
    expect(headers).toMatchObject({ "x-api-key": "sk-demo-secret-0001", "anthropic-version": "2023-06-01", "x-request-id": "req_test" });
    expect(headers["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14,files-api-2025-04-14");
    expect(headers).not.toHaveProperty("authorization");
  });
  test("an operator's version wins; betas that cost more than the price, or are no names, stay here", async () => {
    const provider = { headers: { "Anthropic-Version": "2026-10-21" } };
    const headers = await headersFor({ provider, betas: "context-1m-2025-08-07,fast-mode-2026-02-01,a b,\u00e9" });
    expect(headers["anthropic-version"]).toBe("2026-10-21");
    expect(headers).not.toHaveProperty("anthropic-beta");
  });
});

describe("pass-through", () => {
  test("byte for byte where nothing has to change", async () => {
    const text = `{ "model":"claude-up",  "max_tokens":10, "novelty": {"a" : 1.0},
      "system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral","ttl":"1h"}}],
      "messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"},"x":1}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look","input":{"n":12345678901234567890}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"sea"}]}],
      "tools":[{"name":"look","input_schema":{"type":"object"},"eager_input_streaming":true}],"temperature":0.5,"top_p":0.9,"top_k":5 }`;
    const host = await startHost(json(200, JSON.stringify(answer([]))));
    await ask(host, { body: text });
    expect(host.requests[0]!.body).toBe(text);
  });
  test("max_tokens where the request has none", async () => {
    expect(await sentFor(body({ max_tokens: undefined }), { outputMax: 123 })).toMatchObject({ max_tokens: 123 });
  });
  test("what changes the price or needs state is left out; of metadata the user alone is kept", async () => {
    const withheld = { container: "c", mcp_servers: [] };
    expect(await sentFor(body({ ...withheld, metadata: { user_id: "u1", trace: "x" } }))).toEqual(body({ metadata: { user_id: "u1" } }));
    expect(await sentFor(body({ metadata: { trace: "x" } }))).toEqual(body());
  });
  test("a long number in a history that has to change keeps its digits", async () => {
    const thought = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "x", signature: "" },
        { type: "tool_use", id: "t1", name: "look", input: { n: 0 } },
      ],
    };
    const text = JSON.stringify(body({ messages: [hi, thought, result], tools })).replace('{"n":0}', '{"n":12345678901234567890}');
    const host = await startHost(json(200, JSON.stringify(answer([]))));
    await ask(host, { body: text });
    expect(host.requests[0]!.body).toContain('{"n":12345678901234567890}');
    expect(host.requests[0]!.body).not.toContain('"thinking"');
  });
});

describe("thinking", () => {
  test("a budget is sent as it is; too small, none; never at or above the cap", async () => {
    expect(await thinkingSent({ thinking: { type: "enabled", budget_tokens: 2000 } })).toEqual({ type: "enabled", budget_tokens: 2000 });
    expect(await thinkingSent({ thinking: { type: "enabled", budget_tokens: 1023 } })).toBeUndefined();
    expect(await thinkingSent({ thinking: { type: "enabled", budget_tokens: 9000 } })).toMatchObject({ budget_tokens: 3999 });
  });
  test("adaptive, and enabled without a budget, ask for thinking without a cap; effort goes out as it was sent", async () => {
    expect(await thinkingSent({ thinking: { type: "adaptive", display: "omitted" } })).toEqual({ type: "adaptive", display: "omitted" });
    expect(await thinkingSent({ thinking: { type: "enabled" } })).toEqual({ type: "adaptive" });
    const asked = body({
      thinking: { type: "adaptive" },
      output_config: { effort: "medium", format: { type: "json_schema", schema: {} } },
    });
    expect(await sentFor(asked)).toEqual(asked);
  });
  test.each(["adaptive", "budget"] as const)("%s: between_tools goes out as it was sent", async (route) => {
    expect(await thinkingSent({ thinking: { type: "between_tools" } }, route)).toEqual({ type: "between_tools" });
  });
  test("an adaptive route: enabled becomes adaptive, effort only where asked, sampling dropped", async () => {
    const asked = body({ thinking: { type: "enabled", budget_tokens: 2000 }, temperature: 0.5, top_p: 0.9, top_k: 5 });
    expect(await sentFor(asked, { thinking: "adaptive" })).toEqual(body({ thinking: { type: "adaptive" } }));
    const effort = { output_config: { effort: "low" } };
    expect(await sentFor(body({ thinking: { type: "adaptive" }, ...effort }), { thinking: "adaptive" })).toMatchObject(effort);
  });
  test.each(["adaptive", "budget"] as const)("%s: a forced tool excludes thinking; disabled stays", async (route) => {
    for (const choice of [{ type: "any" }, { type: "tool", name: "look" }])
      expect(await thinkingSent({ thinking: { type: "enabled", budget_tokens: 2000 }, tools, tool_choice: choice }, route)).toBeUndefined();
    expect(await thinkingSent({ thinking: { type: "disabled" }, tools, tool_choice: { type: "any" } }, route)).toEqual({
      type: "disabled",
    });
  });
  test("after a tool's result enabled is dropped, adaptive is not", async () => {
    const later = { messages: [hi, call, result], tools };
    expect(await thinkingSent({ ...later, thinking: { type: "enabled", budget_tokens: 2000 } })).toBeUndefined();
    expect(await thinkingSent({ ...later, thinking: { type: "adaptive" } }, "adaptive")).toEqual({ type: "adaptive" });
  });
  test("on a later turn no budget is made up: what went out without one stays without", async () => {
    const thought = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "x", signature: "" },
        { type: "text", text: "Yes." },
      ],
    };
    expect(await thinkingSent({ messages: [hi, thought, hi], thinking: { type: "enabled" } })).toBeUndefined();
  });
  test("beside thinking the sampling that Claude refuses is dropped", async () => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    expect(await sentFor(body({ thinking, temperature: 0.5, top_p: 0.9, top_k: 5 }))).toEqual(body({ thinking }));
    expect(await sentFor(body({ thinking, temperature: 1, top_p: 0.97 }))).toEqual(body({ thinking, temperature: 1, top_p: 0.97 }));
  });
  test("a temperature above 1 is 1", async () => {
    expect(await sentFor(body({ temperature: 1.7 }))).toEqual(body({ temperature: 1 }));
  });
});

describe("history", () => {
  const messagesSent = async (messages: object[], more: object = {}) => (await sentFor(body({ messages, ...more }))).messages;
  const says = (...content: object[]) => ({ role: "assistant", content });
  const text = (value: string) => ({ type: "text", text: value });
  test("thinking is removed, and a turn that was nothing else", async () => {
    const thought = { type: "thinking", thinking: "x", signature: "EqQB" };
    const redacted = { type: "redacted_thinking", data: "x" };
    expect(await messagesSent([hi, says(thought, redacted, text("Yes.")), hi])).toEqual([hi, says(text("Yes.")), hi]);
    expect(await messagesSent([hi, says(thought), hi])).toEqual([hi, hi]);
  });
  test("blank texts are removed, also in results and system; an empty user turn gets a placeholder", async () => {
    const results = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [text(""), text("sea")] }, text("\n")] };
    expect(await messagesSent([hi, call, results], { tools })).toEqual([
      ...[hi, call, { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [text("sea")] }] }],
    ]);
    expect(
      await messagesSent([
        { role: "user", content: " " },
        { role: "user", content: [] },
      ]),
    ).toEqual([
      ...[
        { role: "user", content: "(no content)" },
        { role: "user", content: "(no content)" },
      ],
    ]);
    expect(await sentFor(body({ system: [text("Be brief."), text("")] }))).toEqual(body({ system: [text("Be brief.")] }));
    expect(await sentFor(body({ system: "" }))).toEqual(body());
  });
  test("a null content of a result is removed: no host takes it", async () => {
    const said = (content?: null) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, ...(content === null && { content }) }],
    });
    expect(await messagesSent([hi, call, said(null)], { tools })).toEqual([hi, call, said()]);
  });
  test("a user comes first, and white space at a prefill's end goes", async () => {
    const first = { role: "user", content: "(no content)" };
    expect(await messagesSent([says(text("Yes.")), hi])).toEqual([first, says(text("Yes.")), hi]);
    expect(await messagesSent([hi, { role: "assistant", content: "Yes, \n" }])).toEqual([hi, { role: "assistant", content: "Yes," }]);
    expect(await messagesSent([hi, says(text("a "), text("b "))])).toEqual([hi, says(text("a "), text("b"))]);
  });
  test("tools are rebuilt from the calls where none are sent, and not called again", async () => {
    const sent = await sentFor(body({ messages: [hi, call, result], tool_choice: { type: "auto" } }));
    expect(sent).toMatchObject({
      tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
      tool_choice: { type: "none" },
    });
    expect(await sentFor(body({ tool_choice: { type: "auto" } }))).toEqual(body());
  });
});
