// The official Anthropic SDKs, both generations, pointed at the simulator: what they do by themselves must work.
import Anthropic from "@anthropic-ai/sdk";
import AnthropicZero from "anthropic-sdk-0";
import { describe, expect, test } from "vitest";
import { useSimulator, userMessage } from "./simulator-fixture.ts";
import { timeTool, weatherTool } from "./anthropic-fixture.ts";

const simulator = useSimulator();

describe.each([
  ["1.x", Anthropic],
  ["0.x", AnthropicZero as unknown as typeof Anthropic],
])("@anthropic-ai/sdk %s", (_, Sdk) => {
  const client = () => new Sdk({ apiKey: "any", baseURL: `${simulator.current.url}/anthropic`, maxRetries: 0 });

  test("the same words whole and streamed, with the same usage", async () => {
    const params = { model: "demo", max_tokens: 500, messages: userMessage("Grüße an das Meer 🌊") };
    const whole = await client().messages.create(params);
    const streamed = await client().messages.stream(params).finalMessage();
    expect(whole.content[0]).toMatchObject({ type: "text", text: expect.stringContaining("Grüße an das Meer 🌊") as unknown });
    expect((streamed.content[0] as { text: string }).text).toBe((whole.content[0] as { text: string }).text);
    expect(streamed.id).toBe(whole.id);
    expect(streamed.usage).toMatchObject({ input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens });
  });

  test("thinking with tools: a loop with the blocks sent back as they came ends in text", async () => {
    const params = {
      model: "demo",
      max_tokens: 4000,
      thinking: { type: "enabled" as const, budget_tokens: 2000 },
      tools: [weatherTool, timeTool],
    };
    const question = userMessage("get_weather and get_time of Paris");
    const called = await client()
      .messages.stream({ ...params, messages: question })
      .finalMessage();
    expect(called.stop_reason).toBe("tool_use");
    expect(called.content.map(({ type }) => type)).toEqual(["thinking", "tool_use", "tool_use"]);
    const results = called.content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "sunny" }] : [],
    );
    const messages = [...question, { role: "assistant" as const, content: called.content }, { role: "user" as const, content: results }];
    const answered = await client().messages.create({ ...params, messages });
    expect(answered).toMatchObject({ stop_reason: "end_turn", content: [{ type: "thinking" }, { type: "text" }] });
  });

  test("the tool runner ends: tools are run with input of their schema, then text", async () => {
    const seen: unknown[] = [];
    const run = (input: unknown) => (seen.push(input), "sunny");
    const runner = client().beta.messages.toolRunner({
      model: "demo",
      max_tokens: 500,
      messages: userMessage("get_weather of Paris"),
      tools: [{ ...weatherTool, type: "custom", run, parse: (input: unknown) => input }],
    });
    expect(await runner).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text" }] });
    expect(seen).toEqual([{ city: expect.any(String), days: expect.any(Number) }]);
  });

  test("an answer goes back as it came, whole and from the stream helper", async () => {
    const params = { model: "demo+sim-citations", max_tokens: 500, messages: userMessage("hi") };
    for (const answer of [await client().messages.create(params), await client().messages.stream(params).finalMessage()]) {
      const messages = [...params.messages, { role: "assistant" as const, content: answer.content }, ...userMessage("and?")];
      expect((await client().messages.create({ ...params, messages })).stop_reason).toBe("end_turn");
    }
  });

  test("counting and models", async () => {
    expect(await client().messages.countTokens({ model: "demo", messages: userMessage("Four") })).toMatchObject({ input_tokens: 5 });
    expect(await client().models.retrieve("vendor/anything")).toMatchObject({ id: "vendor/anything", type: "model" });
    expect((await client().models.list()).data.map(({ id }) => id)).toContain("sim-chat");
  });

  test("faults become the SDK's own errors", async () => {
    const params = (model: string) => ({ model, max_tokens: 100, messages: userMessage("hi") });
    await expect(client().messages.create(params("sim-429"))).rejects.toBeInstanceOf(Sdk.RateLimitError);
    await expect(client().messages.create(params("sim-401"))).rejects.toBeInstanceOf(Sdk.AuthenticationError);
    await expect(client().messages.create(params("sim-529"))).rejects.toMatchObject({
      status: 529,
      requestID: "req_simulator",
      error: { type: "error", error: { type: "overloaded_error" } },
    });
    await expect(client().messages.stream(params("m+sim-error-after-4")).finalMessage()).rejects.toThrow(/Internal server error|stopped/);
    await expect(client().messages.stream(params("m+sim-no-done")).finalMessage()).rejects.toThrow();
  });
});
