// The Vercel AI SDK over @ai-sdk/openai-compatible against the gateway (docs/behaviour/streams.md#chunks): it validates
// every chunk, reads errors from their body, and retries by status alone.
import { APICallError, generateObject, generateText, isStepCount, Output, RetryError, streamObject, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { until } from "../support/eventually.ts";
import { costIn, costOf, quiet, useClients } from "./clients.ts";

const clients = useClients();
const prompt = "Tell me about the sea.";
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const onError = () => undefined; // by default it prints what the tests provoke

describe("text", () => {
  test("generateText and streamText say the same and count the same tokens; usage.raw has the cost that was charged", async () => {
    const customer = await clients.customer();
    const model = customer.aiSdk({ includeUsage: true })("plain/chat");
    const whole = await generateText({ model, prompt });
    const stream = streamText({ model, prompt });
    expect(await stream.text).toBe(whole.text);
    expect(whole).toMatchObject({ finishReason: "stop", warnings: [] });
    const usage = await stream.usage;
    expect(usage).toEqual(whole.usage);
    expect(costIn(usage.raw)).toBeCloseTo(costOf({ input: usage.inputTokens!, output: usage.outputTokens! }), 8);
    expect(await customer.spent()).toBeCloseTo(2 * costIn(usage.raw), 8);
  });

  test("without includeUsage no usage is asked for or sent, and the call is charged anyway", async () => {
    const customer = await clients.customer();
    const stream = streamText({ model: customer.aiSdk()("plain/chat"), prompt });
    expect(await stream.text).toContain("You said:");
    expect((await stream.usage).totalTokens ?? 0).toBe(0);
    expect(customer.exchanges[0]!.body.stream_options).toBeUndefined();
    expect(await customer.spent()).toBeGreaterThan(0);
  });

  test("cached tokens are the cached part of the input", async () => {
    const customer = await clients.customer();
    const { usage } = await generateText({ model: customer.aiSdk()("plain/cached"), prompt });
    expect(usage).toMatchObject({ inputTokens: 1000, inputTokenDetails: { cacheReadTokens: 600 } });
  });

  test("response headers reach the caller", async () => {
    const { response } = await generateText({ model: (await clients.customer()).aiSdk()("best"), prompt });
    expect(response.headers).toMatchObject({
      "x-svc-model": "plain/chat",
      "x-svc-alias": "best",
      "x-request-id": expect.stringMatching(/^req_/),
    });
    expect(response.modelId).toBe("plain/chat");
  });

  test("a file part that is an image reaches a vision model", async () => {
    const content = [
      { type: "text" as const, text: "What is this?" },
      { type: "file" as const, mediaType: "image/png", data: new Uint8Array([137, 80, 78, 71]) },
    ];
    const { text } = await generateText({ model: (await clients.customer()).aiSdk()("see/plain"), messages: [{ role: "user", content }] });
    expect(text).toContain("What is this?");
    const { messages } = clients.gateway.simulator.calls().findLast(({ model }) => model === "vision")!.json as {
      messages: { content: { type: string }[] }[];
    };
    expect(messages[0]!.content.map(({ type }) => type)).toEqual(["text", "image_url"]);
  });
});

describe.each(["think/plain", "think/other-field"])("reasoning of %s", (name) => {
  test("is reasoning, apart from the text, whole and streamed; its tokens are told", async () => {
    const model = (await clients.customer()).aiSdk({ includeUsage: true })(name);
    const whole = await generateText({ model, prompt });
    const stream = streamText({ model, prompt });
    expect(whole.reasoningText).toEqual(expect.any(String));
    expect(await stream.reasoningText).toBe(whole.reasoningText);
    expect(await stream.text).toBe(whole.text);
    expect(whole.usage.outputTokenDetails.reasoningTokens).toBe(32);
    expect(await stream.usage).toEqual(whole.usage);
  });
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
    const customer = await clients.customer();
    const model = customer.aiSdk({ includeUsage: true })(name);
    const whole = await generateText({ model, ...ask });
    expect(whole.steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([["get_weather", "get_time"], []]);
    expect(whole.text).toContain("You said:");
    const stream = streamText({ model, ...ask });
    expect((await stream.steps).map(({ toolCalls }) => toolCalls)).toEqual(whole.steps.map(({ toolCalls }) => toolCalls));
    expect(await stream.text).toBe(whole.text);
    const costs = [...whole.steps, ...(await stream.steps)].map(({ usage }) => costIn(usage.raw));
    expect(await customer.spent()).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost),
      8,
    );
  });
});

test("thinking goes back with the tool results as reasoning_content, as hosts that think between calls demand", async () => {
  const get_weather = tool({ description: "The weather", inputSchema: z.object({ city: z.string() }), execute: () => "sunny" });
  const model = (await clients.customer()).aiSdk()("think/plain");
  const { steps } = await generateText({ model, prompt: "Use get_weather", tools: { get_weather }, stopWhen: isStepCount(2) });
  expect(steps).toHaveLength(2);
  const { messages } = clients.gateway.simulator.calls().at(-1)!.json as { messages: { role: string; reasoning_content?: string }[] };
  expect(messages.find(({ role }) => role === "assistant")!.reasoning_content).toBe(steps[0]!.reasoningText);
});

describe("objects", () => {
  const schema = z.object({ title: z.string(), stars: z.number().int().min(1).max(5), tags: z.array(z.enum(["sea", "land"])) });

  test("Output.object, whole and streamed, gives a value of the schema", async () => {
    const model = (await clients.customer()).aiSdk({ supportsStructuredOutputs: true })("plain/chat");
    const { output } = await generateText({ model, prompt, output: Output.object({ schema }) });
    expect(schema.parse(output)).toEqual(output);
    expect(await streamText({ model, prompt, output: Output.object({ schema }) }).output).toEqual(output);
  });

  test("generateObject and streamObject, the older way, do too", async () => {
    const model = (await clients.customer()).aiSdk({ supportsStructuredOutputs: true })("plain/chat");
    const { object } = await generateObject({ model, schema, prompt });
    expect(schema.parse(object)).toEqual(object);
    const stream = streamObject({ model, schema, prompt, onError });
    expect((await Array.fromAsync(stream.partialObjectStream)).at(-1)).toEqual(object); // nothing is read before this
    expect(await stream.object).toEqual(object);
  });
});

describe("streams that end early", () => {
  test.each(["broken/error-record", "broken/cut", "broken/early-end"])(
    "%s: an error part with the code, finish reason error, the text so far kept, no second attempt",
    async (name) => {
      const customer = await clients.customer();
      const stream = streamText({ model: customer.aiSdk({ includeUsage: true })(name), prompt, onError });
      const parts = await Array.fromAsync(stream.stream);
      const failure = parts.find((part) => part.type === "error");
      expect(failure?.error).toMatchObject({ code: "stream_interrupted" });
      expect(parts.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(1);
      expect(parts.findLast((part) => part.type === "finish")?.finishReason).toBe("error");
      expect(customer.exchanges).toHaveLength(1);
      expect(await customer.spent()).toBe(0);
    },
  );

  test("a caller who aborts gets an abort part, pays for what was delivered, and leaves the upstream", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const controller = new AbortController();
    const stream = streamText({ model: customer.aiSdk()("plain/unhurried"), prompt, abortSignal: controller.signal, onError });
    let deltas = 0;
    const types: string[] = [];
    for await (const { type } of stream.stream) {
      types.push(type);
      if (type === "text-delta" && ++deltas === 20) controller.abort();
    }
    expect(types.at(-1)).toBe("abort");
    await quiet(clients.gateway);
    await until(() => clients.gateway.simulator.counters().aborted === 1);
    expect(await customer.spent()).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 390 }));
  });
});

describe("refusals", () => {
  test.each([
    ["fail/rejects-400", 400, "request_rejected"],
    ["vectors/small", 400, "wrong_endpoint"],
    ["fail/refuses", 403, "route_refused"],
    ["plain/nothing", 404, "model_not_found"],
    ["fail/rejects-413", 413, "request_rejected"],
    ["fail/rejects-422", 422, "request_rejected"],
  ])("%s: APICallError %i with code %s in its data, one attempt, whole and streamed", async (name, status, code) => {
    const customer = await clients.customer();
    const model = customer.aiSdk()(name);
    const error = await caught(generateText({ model, prompt }));
    expect(error).toMatchObject({ statusCode: status, isRetryable: false, data: { error: { code } } });
    expect(JSON.parse(error.responseBody!)).toMatchObject({
      error: { message: error.message, request_id: error.responseHeaders!["x-request-id"] },
    });
    const streamed: unknown[] = [];
    await streamText({ model, prompt, onError: ({ error: failure }) => void streamed.push(failure) }).consumeStream();
    expect(streamed).toEqual([expect.objectContaining({ statusCode: status })]);
    expect(customer.exchanges.map((exchange) => exchange.status)).toEqual([status, status]);
    expect(await customer.spent()).toBe(0);
  });

  test("402 carries the numbers in the message and beside the error", async () => {
    const customer = await clients.customer({ deposit: "0.000001" });
    const error = await caught(generateText({ model: customer.aiSdk()("plain/chat"), prompt }));
    expect(error).toMatchObject({ statusCode: 402, isRetryable: false });
    expect(JSON.parse(error.responseBody!)).toMatchObject({
      have_usd: 0.000001,
      need_usd: expect.any(Number),
      topup_url: expect.any(String),
    });
    expect(error.message).toContain("0.000001");
  });

  test.concurrent.each([
    ["fail/unreadable", 502, "upstream_invalid_response"],
    ["fail/down", 503, "provider_unavailable"],
    ["fail/gone", 503, "model_unavailable"], // x-should-retry: false, which this client does not read
  ])("%s: %i %s is tried again once, and charged never", async (name, status, code) => {
    const customer = await clients.customer();
    const failure: unknown = await generateText({ model: customer.aiSdk()(name), prompt, maxRetries: 1 }).catch((error: unknown) => error);
    expect(RetryError.isInstance(failure) && failure.lastError).toMatchObject({ statusCode: status, data: { error: { code } } });
    expect(customer.exchanges.map((exchange) => exchange.status)).toEqual([status, status]);
    expect(await customer.spent()).toBe(0);
  });

  test.concurrent("a fault that passes is not seen, and one answer is charged", async () => {
    const customer = await clients.customer();
    const { usage } = await generateText({ model: customer.aiSdk()("fail/down-once"), prompt });
    expect(customer.exchanges.map((exchange) => exchange.status)).toEqual([502, 200]);
    expect(await customer.spent()).toBe(costIn(usage.raw));
  });
});

async function caught(call: Promise<unknown>): Promise<APICallError> {
  const error: unknown = await call.then(
    () => "answered",
    (cause: unknown) => cause,
  );
  if (!APICallError.isInstance(error)) throw new Error("the call was not refused by the gateway", { cause: error });
  return error;
}
