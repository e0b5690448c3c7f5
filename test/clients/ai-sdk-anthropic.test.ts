// The Vercel AI SDK over @ai-sdk/anthropic against /v1/messages (docs/behaviour/messages.md): it validates every event, sends content
// as blocks always, and retries by status alone.
import { APICallError, generateText, isStepCount, Output, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { costOf, quiet, useClients } from "./clients.ts";

const clients = useClients();
const prompt = "Tell me about the sea.";
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const onError = () => undefined; // by default it prints what the tests provoke

describe("text", () => {
  test("generateText and streamText say the same, count the same tokens, and are charged by them", async () => {
    const customer = await clients.customer();
    const model = customer.aiAnthropic()("plain/chat");
    const whole = await generateText({ model, prompt });
    const stream = streamText({ model, prompt });
    expect(await stream.text).toBe(whole.text);
    expect(whole).toMatchObject({ finishReason: "stop", text: expect.stringContaining("You said:") });
    const { inputTokens, outputTokens } = await stream.usage;
    expect({ inputTokens, outputTokens }).toEqual({ inputTokens: whole.usage.inputTokens, outputTokens: whole.usage.outputTokens });
    expect(await customer.spent()).toBeCloseTo(2 * costOf({ input: inputTokens!, output: outputTokens! }), 8);
    expect(customer.exchanges.map(({ path }) => path)).toEqual(["/v1/messages", "/v1/messages"]);
  });

  test("cached tokens are the cached part of the input; the request id is in the headers under both names", async () => {
    const { usage, response } = await generateText({ model: (await clients.customer()).aiAnthropic()("plain/cached"), prompt });
    expect(usage).toMatchObject({ inputTokens: 1000, inputTokenDetails: { cacheReadTokens: 600 } });
    expect(response.headers!["request-id"]).toBe(response.headers!["x-request-id"]);
  });

  test("an answer at its limit ends with length", async () => {
    const { finishReason } = await generateText({
      model: (await clients.customer()).aiAnthropic()("plain/chat"),
      prompt,
      maxOutputTokens: 5,
    });
    expect(finishReason).toBe("length");
  });
});

test("thinking is reasoning, apart from the text, whole and streamed, and goes back with the results of tools", async () => {
  const customer = await clients.customer();
  const model = customer.aiAnthropic()("think/plain");
  const providerOptions = { anthropic: { thinking: { type: "enabled" as const, budgetTokens: 1024 } } };
  const whole = await generateText({ model, prompt, providerOptions });
  const stream = streamText({ model, prompt, providerOptions });
  expect(whole.reasoningText).toEqual(expect.any(String));
  expect(await stream.reasoningText).toBe(whole.reasoningText);
  expect(await stream.text).toBe(whole.text);
  const get_weather = tool({ description: "The weather", inputSchema: z.object({ city: z.string() }), execute: () => "sunny" });
  const { steps } = await generateText({
    model,
    prompt: "Use get_weather",
    tools: { get_weather },
    stopWhen: isStepCount(3),
    providerOptions,
  });
  expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 0]);
});

describe.each(["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"])("tools of %s", (name) => {
  const tools = {
    get_weather: tool({
      description: "The weather",
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => `sunny in ${city}`,
    }),
    get_time: tool({ description: "The time", inputSchema: z.object({ zone: z.string() }), execute: () => "noon" }),
  };
  const ask = { prompt: "Call get_weather and get_time", tools, stopWhen: isStepCount(3) };

  test("parallel calls run, their results are sent back, text ends it: streamed as whole", async () => {
    const model = (await clients.customer()).aiAnthropic()(name);
    const whole = await generateText({ model, ...ask });
    expect(whole.steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([["get_weather", "get_time"], []]);
    expect(whole.text).toContain("You said:");
    const stream = streamText({ model, ...ask });
    const namesAndInputs = (steps: { toolCalls: { toolName: string; input: unknown }[] }[]) =>
      steps.map(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input]));
    expect(namesAndInputs(await stream.steps)).toEqual(namesAndInputs(whole.steps));
    expect(await stream.text).toBe(whole.text);
  });
});

test("Output.object gives a value of the schema, whole and streamed", async () => {
  const schema = z.object({ title: z.string(), stars: z.number().int(), tags: z.array(z.enum(["sea", "land"])) });
  const model = (await clients.customer()).aiAnthropic()("plain/chat");
  const { output } = await generateText({ model, prompt, output: Output.object({ schema }) });
  expect(schema.parse(output)).toEqual(output);
  const stream = streamText({ model, prompt, output: Output.object({ schema }) });
  expect(schema.parse(await stream.output)).toEqual(output);
});

describe("failures", () => {
  test.each([
    ["fail/rejects-400", 400, "invalid_request_error", "request_rejected"],
    ["fail/refuses", 403, "permission_error", "route_refused"],
    ["plain/nothing", 404, "not_found_error", "model_not_found"],
    ["fail/unreadable", 502, "api_error", "upstream_invalid_response"],
    ["fail/down", 503, "overloaded_error", "provider_unavailable"],
  ])("%s: status %i, type %s, code %s, its sentence as the message; no charge", async (name, statusCode, type, code) => {
    const customer = await clients.customer();
    const error: unknown = await generateText({ model: customer.aiAnthropic()(name), prompt, maxRetries: 0 }).catch(
      (cause: unknown) => cause,
    );
    if (!APICallError.isInstance(error)) throw new Error("not an APICallError", { cause: error });
    const body = JSON.parse(error.responseBody!) as { error: { message: string } };
    expect(error).toMatchObject({ statusCode, message: body.error.message });
    expect(body).toMatchObject({ type: "error", error: { type, code }, request_id: expect.stringMatching(/^req_/) });
    expect(await customer.spent()).toBe(0);
  });

  test.each(["broken/error-record", "broken/cut"])(
    "%s: an error part after the text so far, the finish is error, no charge",
    async (name) => {
      const customer = await clients.customer();
      const stream = streamText({ model: customer.aiAnthropic()(name), prompt, maxRetries: 0, onError });
      const types: string[] = [];
      for await (const part of stream.fullStream) types.push(part.type);
      expect(types).toEqual(expect.arrayContaining(["text-delta", "error"]));
      expect(types).not.toContain("abort");
      expect(await customer.spent()).toBe(0);
    },
  );

  test("a caller who aborts pays for what was delivered and leaves the upstream", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const controller = new AbortController();
    const stream = streamText({ model: customer.aiAnthropic()("plain/unhurried"), prompt, abortSignal: controller.signal, onError });
    let deltas = 0;
    for await (const part of stream.fullStream) if (part.type === "text-delta" && ++deltas === 20) controller.abort();
    await quiet(clients.gateway);
    expect(clients.gateway.simulator.counters()).toMatchObject({ received: 1, aborted: 1 });
    expect(await customer.spent()).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 390 }));
  });
});
