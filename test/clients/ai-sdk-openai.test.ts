// The Vercel AI SDK's provider for OpenAI itself: chat models, which always ask for usage, Responses, which are its default,
// and embeddings. What it shares with @ai-sdk/openai-compatible is in ai-sdk.test.ts.
import { APICallError, embedMany, generateText, isStepCount, Output, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { costOf, quiet, useClients } from "./clients.ts";

const clients = useClients();
const prompt = "Tell me about the sea.";
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const onError = () => undefined; // by default it prints what the tests provoke
const tools = {
  get_weather: tool({ description: "The weather", inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `sunny in ${city}` }),
  get_time: tool({ description: "The time", inputSchema: z.object({ zone: z.string() }), execute: () => "noon" }),
};

describe.each(["chat", "responses"] as const)("openai.%s(id)", (kind) => {
  const modelOf = async (id: string) => {
    const customer = await clients.customer();
    return { customer, model: customer.aiOpenai()[kind](id) };
  };

  test("generateText and streamText say the same, count the same tokens, and are charged by them", async () => {
    const { customer, model } = await modelOf("plain/chat");
    const whole = await generateText({ model, prompt });
    const stream = streamText({ model, prompt });
    expect(await stream.text).toBe(whole.text);
    expect(whole).toMatchObject({ finishReason: "stop", text: expect.stringContaining("You said:") });
    const { inputTokens, outputTokens } = await stream.usage;
    expect({ inputTokens, outputTokens }).toEqual({ inputTokens: whole.usage.inputTokens, outputTokens: whole.usage.outputTokens });
    expect(await customer.spent()).toBeCloseTo(2 * costOf({ input: inputTokens!, output: outputTokens! }), 8);
  });

  test.each(["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"])(
    "tools of %s run, their results are sent back, text ends it",
    async (name) => {
      const { model } = await modelOf(name);
      const ask = { model, prompt: "Call get_weather and get_time", tools, stopWhen: isStepCount(3) };
      const whole = await generateText(ask);
      expect(whole.steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([["get_weather", "get_time"], []]);
      const stream = streamText(ask);
      expect((await stream.steps).map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
        ["get_weather", "get_time"],
        [],
      ]);
      expect(await stream.text).toBe(whole.text);
    },
  );

  test("Output.object is strict here, and gives a value of the schema", async () => {
    const schema = z.object({ title: z.string(), stars: z.number().int() });
    const { model } = await modelOf("plain/chat");
    const { output } = await generateText({ model, prompt, output: Output.object({ schema }) });
    expect(schema.parse(output)).toEqual(output);
  });

  test.each([
    ["fail/rejects-400", 400, "request_rejected"],
    ["plain/nothing", 404, "model_not_found"],
    ["fail/down", 503, "provider_unavailable"],
  ])("%s: status %i and code %s; no charge", async (name, statusCode, code) => {
    const { customer, model } = await modelOf(name);
    const error: unknown = await generateText({ model, prompt, maxRetries: 0 }).catch((cause: unknown) => cause);
    if (!APICallError.isInstance(error)) throw new Error("not an APICallError", { cause: error });
    expect(error).toMatchObject({ statusCode, data: { error: { code } } });
    expect(await customer.spent()).toBe(0);
  });

  // Its chat model takes a chunk that has both `choices` and `error` for a plain chunk (a union that the first form wins),
  // and the contract wants both in one: only the finish reason tells of the fault. Its Responses model says it.
  test("a broken stream is not a good end: text so far, then another finish than stop; no charge", async () => {
    const { customer, model } = await modelOf("broken/cut");
    const stream = streamText({ model, prompt, maxRetries: 0, onError });
    const types: string[] = [];
    for await (const part of stream.fullStream) types.push(part.type);
    expect(types).toContain("text-delta");
    if (kind === "responses") expect(types).toContain("error");
    else expect([await stream.finishReason, await stream.rawFinishReason]).toEqual(["other", "error"]);
    expect(await customer.spent()).toBe(0);
  });

  test("a caller who aborts pays for what was delivered and leaves the upstream", async () => {
    const { customer, model } = await modelOf("plain/unhurried");
    clients.gateway.simulator.reset();
    const controller = new AbortController();
    let deltas = 0;
    for await (const part of streamText({ model, prompt, abortSignal: controller.signal, onError }).fullStream)
      if (part.type === "text-delta" && ++deltas === 20) controller.abort();
    await quiet(clients.gateway);
    expect(clients.gateway.simulator.counters()).toMatchObject({ received: 1, aborted: 1 });
    expect(await customer.spent()).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 390 }));
  });
});

test("embedMany: a vector a text", async () => {
  const { embeddings, usage } = await embedMany({
    model: (await clients.customer()).aiOpenai().embedding("vectors/small"),
    values: ["one sea", "two seas"],
  });
  expect(embeddings.map(({ length }) => length)).toEqual([1536, 1536]);
  expect(usage.tokens).toBeGreaterThan(0);
});
