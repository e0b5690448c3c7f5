// Every client reads the same answer from every host: the gateway gives the one form that the strictest takes
// (docs/behaviour/providers.md#hosts). The hosts' bytes are in odd-hosts.ts.
import { jsonSchema, streamText, tool as aiTool } from "ai";
import type OpenAI from "openai";
import { afterAll, describe, expect, test } from "vitest";
import { costIn, costOf, userMessage, useClients } from "./clients.ts";
import { calls, startOddHost, texts } from "./odd-hosts.ts";
import { readRaw } from "./raw-streams.ts";

const host = await startOddHost();
afterAll(() => void host.server.close());

const ids = new Map([...Object.keys(texts), ...Object.keys(calls)].map((name, index) => [name, `odd/host-${index}`]));
const clients = useClients(
  JSON.stringify({
    providers: [{ id: "odd", protocol: "openai", base_url: host.url }],
    models: [...ids].map(([name, id]) => ({
      id,
      type: "language",
      context_window: 128_000,
      max_output_tokens: 1000,
      supports_tools: true,
      pricing: { mode: "per-token", input: 0.5, output: 1.5 },
      routes: [{ provider: "odd", model: name }],
    })),
  }),
);
const messages = userMessage("hello");
const include_usage = { stream_options: { include_usage: true } };
const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false,
};
const weather: OpenAI.ChatCompletionFunctionTool = { type: "function", function: { name: "get_weather", parameters, strict: true } };

describe.each(Object.keys(texts))("text with %s", (name) => {
  const model = ids.get(name)!;

  test("byte by byte: one opening role, one end, the host's usage", async () => {
    const { account } = await clients.customer();
    const { chunks } = await readRaw(clients.gateway.url, account.key, { model, messages, ...include_usage });
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hello, sea!");
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
    expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, cost: 0.000008 });
  });

  test("OpenAI's helper, the AI SDK and LangChain read the same words, and each answer costs the same", async () => {
    const customer = await clients.customer();
    const helped = await customer
      .openai()
      .chat.completions.stream({ model, messages, ...include_usage })
      .finalChatCompletion();
    expect(helped).toMatchObject({
      model,
      choices: [{ message: { content: "Hello, sea!" }, finish_reason: "stop" }],
      usage: { completion_tokens: 3 },
    });
    const stream = streamText({ model: customer.aiSdk({ includeUsage: true })(model), prompt: "hello" });
    expect([await stream.text, await stream.finishReason]).toEqual(["Hello, sea!", "stop"]);
    const pieces = await Array.fromAsync(await customer.langchain(model).stream("hello"), ({ text }) => text);
    expect(pieces.join("")).toBe("Hello, sea!");
    expect(costIn(helped.usage)).toBeCloseTo(costOf({ input: 7, output: 3 }), 8);
    expect(await customer.spent()).toBeCloseTo(3 * costIn(helped.usage), 8);
  });
});

describe.each(Object.keys(calls))("a call with %s", (name) => {
  const model = ids.get(name)!;

  test("OpenAI's helper with a strict tool, the AI SDK and LangChain read the same call", async () => {
    const customer = await clients.customer();
    await readRaw(clients.gateway.url, customer.account.key, { model, messages, tools: [weather] });
    const helped = await customer
      .openai()
      .chat.completions.stream({ model, messages, tools: [weather] })
      .finalChatCompletion();
    expect(helped.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        tool_calls: [
          { id: expect.stringMatching(/^call_/), type: "function", function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
        ],
      },
    });
    const tools = { get_weather: aiTool({ inputSchema: jsonSchema(parameters) }) };
    const stream = streamText({ model: customer.aiSdk()(model), prompt: "hello", tools });
    expect(await stream.toolCalls).toMatchObject([{ toolName: "get_weather", input: { city: "Rome" } }]);
    expect(await stream.finishReason).toBe("tool-calls");
    const chunks = await Array.fromAsync(await customer.langchain(model).bindTools([weather]).stream("hello"));
    expect(chunks.reduce((all, next) => all.concat(next)).tool_calls).toMatchObject([{ name: "get_weather", args: { city: "Rome" } }]);
  });
});
