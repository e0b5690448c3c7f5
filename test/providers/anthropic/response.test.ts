// Whole messages of Anthropic's hosts in the contract's form, and their usage.
import { describe, expect, test } from "vitest";
import type { MessageWhole } from "../../../src/providers/verbs/messages.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { startHost } from "../upstream-fixture.ts";
import { answer, ask, askChat, askStream, askWhole, collect, publicModel } from "./message-fixture.ts";

describe("a whole message", () => {
  test("names the public model, blanks signatures, and leaves out what the contract doesn't declare", async () => {
    const content = [
      { type: "thinking", thinking: "Hmm", signature: "EqQB" },
      { type: "redacted_thinking", data: "abc" },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "text", text: "Hi", citations: [{ type: "char_location", cited_text: "H" }], novelty: 1 },
      { type: "tool_use", id: "toolu_1", name: "look", input: { q: 1 }, caller: { type: "direct" } },
    ];
    const more = { stop_reason: "tool_use", container: { id: "c" }, context_management: {}, novelty: 1 };
    const { message, usage } = await askWhole(answer(content, more));
    expect(message).toEqual({
      ...{ id: "msg_01", type: "message", role: "assistant", model: publicModel, stop_reason: "tool_use", stop_sequence: null },
      content: [
        { type: "thinking", thinking: "Hmm", signature: "" },
        { type: "redacted_thinking", data: "abc" },
        { type: "text", text: "Hi", citations: [{ type: "char_location", cited_text: "H" }] },
        { type: "tool_use", id: "toolu_1", name: "look", input: { q: 1 } },
      ],
    });
    expect(usage).toEqual({ input: 9, cacheRead: 0, cacheWrite: 0, output: 4, reasoning: 0 });
  });

  test("a provider's tool that was asked for is shown and, where the host doesn't say how often it ran, counted; others are left out", async () => {
    const call = (name: string, id: string) => ({ type: "server_tool_use", id, name, input: {} });
    const brought = {
      type: "web_fetch_tool_result",
      tool_use_id: "srvtoolu_1",
      content: { type: "web_fetch_result", url: "https://a.example" },
    };
    const shown = [call("web_fetch", "srvtoolu_1"), brought];
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_2", content: [] };
    const content = [...shown, call("web_search", "srvtoolu_2"), found, { type: "text", text: "Hi" }];
    const host = json(200, JSON.stringify(answer(content)));
    const whole = await ask(await startHost(host), { serverTools: ["web_fetch"] });
    expect(whole).toMatchObject({ message: { content: [...shown, { type: "text", text: "Hi" }] }, usage: { toolCalls: { web_fetch: 1 } } });
    expect((whole as MessageWhole).usage!.toolCalls).toEqual({ web_fetch: 1 });
    const both = await ask(await startHost(host), { serverTools: ["web_search", "web_fetch"] });
    expect((both as MessageWhole).usage!.toolCalls).toEqual({ web_search: 1, web_fetch: 1 });
    for (const [count, charged] of [
      [4, 4],
      [0, 0],
      [-2, 1],
      [1e300, 1],
      ["many", 1],
      [null, 1],
    ]) {
      const usage = { input_tokens: 9, output_tokens: 4, server_tool_use: { web_fetch_requests: count } };
      const told = await ask(await startHost(json(200, JSON.stringify(answer(content, { usage })))), { serverTools: ["web_fetch"] });
      expect([count, (told as MessageWhole).usage!.toolCalls]).toEqual([count, { web_fetch: charged }]);
    }
  });

  test("a summary of the conversation stays as it came, also alone; chat has no place for it", async () => {
    const summary = { type: "compaction", content: "A talk.", encrypted_content: "enc", signature: "EqQB", tool_changes: [] };
    const given = answer([summary], { stop_reason: "compaction" });
    expect((await askWhole(given)).message).toMatchObject({ content: [summary], stop_reason: "compaction" });
    expect((await askWhole(answer([{ type: "compaction" }]))).message.content).toEqual([{ type: "compaction", content: null }]);
    const chat = await askChat(await startHost(json(200, JSON.stringify(given))));
    expect(chat).toMatchObject({ completion: { choices: [{ message: { content: null }, finish_reason: "stop" }] } });
    const records = await collect(await askStream(json(200, JSON.stringify(given))));
    expect(records.slice(1).map(({ index: _, ...record }) => record)).toEqual([
      { type: "content_block_start", content_block: { ...summary, content: null } },
      { type: "content_block_delta", delta: { ...summary, type: "compaction_delta" } },
      { type: "content_block_stop" },
    ]);
  });

  test("a long number in a tool's input keeps its digits", async () => {
    const text = JSON.stringify(answer([{ type: "tool_use", id: "t", name: "look", input: { q: 0 } }])).replace(
      '{"q":0}',
      '{"q":12345678901234567890}',
    );
    const { message } = await askWhole(json(200, text));
    expect(JSON.stringify(message.content)).toContain('"q":12345678901234567890');
  });

  test("an id where the host gives none; a stop reason where it gives none", async () => {
    const { message } = await askWhole(answer([{ type: "tool_use", name: "look" }], { id: undefined, stop_reason: null }));
    expect(message).toMatchObject({ id: expect.stringMatching(/^msg_\w+$/), stop_reason: "tool_use", stop_sequence: null });
    expect(message.content[0]).toMatchObject({ id: expect.stringMatching(/^toolu_\w+$/), input: {} });
  });

  test("empty content is an answer; only undeclared blocks are not", async () => {
    expect((await askWhole(answer([], { stop_reason: "refusal", stop_details: { type: "refusal" } }))).message).toMatchObject({
      ...{ content: [], stop_reason: "refusal", stop_details: { type: "refusal" } },
    });
    await expectFault(askWhole(answer([{ type: "web_search_tool_result" }])), "unreadable");
  });

  test.each(["", "<html>", "[]", "{}", '{"content":"Hi"}'])("%j: unreadable", async (text) => {
    await expectFault(askWhole(json(200, text)), "unreadable");
  });

  test("200 with an error: the error decides the fault", async () => {
    await expectFault(askWhole(json(200, '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}')), "rate_limited");
  });
});

describe("figures", () => {
  const usageOf = async (usage: object | null) => (await askWhole(answer([], { usage }))).usage;
  test("buckets don't overlap; the written cache also from its parts; thinking is inside the output", async () => {
    const full = { input_tokens: 5, cache_read_input_tokens: 70, cache_creation_input_tokens: 30, output_tokens: 9 };
    expect(await usageOf({ ...full, output_tokens_details: { thinking_tokens: 6 } })).toEqual({
      ...{ input: 5, cacheRead: 70, cacheWrite: 30, output: 9, reasoning: 6 },
    });
    const parts = { input_tokens: 5, cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 }, output_tokens: 9 };
    expect(await usageOf(parts)).toMatchObject({ input: 5, cacheWrite: 30 });
  });

  test.each([
    [null],
    [{}],
    [{ input_tokens: 9 }],
    [{ output_tokens: 9 }],
    [{ input_tokens: 0, output_tokens: 0 }],
    [{ input_tokens: 1e12, output_tokens: 1 }],
  ])("%j: none", async (usage) => {
    expect(await usageOf(usage)).toBeNull();
  });
});

describe("errors with their status", () => {
  const envelope = (type: string, message: string) => JSON.stringify({ type: "error", error: { type, message }, request_id: "req_up" });
  test.each([
    [529, "overloaded_error", "Overloaded", "unavailable"],
    [500, "api_error", "Internal server error", "unavailable"],
    [429, "rate_limit_error", "Number of tokens has exceeded your limit", "rate_limited"],
    [401, "authentication_error", "invalid x-api-key", "our_fault"],
    [403, "permission_error", "Your API key does not have permission", "our_fault"],
    [402, "billing_error", "Payment required", "our_fault"],
    [400, "invalid_request_error", "Your credit balance is too low to access the API.", "our_fault"],
    [404, "not_found_error", "model: claude-up", "gone"],
    [413, "request_too_large", "Request exceeds the maximum size", "rejected"],
    [400, "invalid_request_error", "prompt is too long: 214356 tokens > 200000 maximum", "rejected"],
    [400, "invalid_request_error", "Output blocked by content filtering policy", "refused"],
  ] as const)("%i %s: %s is %s", async (status, type, message, fault) => {
    const error = await expectFault(askWhole(json(status, envelope(type, message))), fault);
    expect(error).toMatchObject({ status, reason: message });
  });

  test("retry-after is kept", async () => {
    const error = await expectFault(askWhole(json(429, envelope("rate_limit_error", "x"), { "retry-after": "7" })), "rate_limited");
    expect(error.retryAfterMs).toBe(7_000);
  });
});
