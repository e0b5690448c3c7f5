// Real clients of POST /v1/responses: OpenAI's library and its helpers, the AI SDK's default, LangChain's useResponsesApi.
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { generateText, isStepCount, Output, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { until } from "../support/eventually.ts";
import { costIn, costOf, quiet } from "./clients.ts";
import { useResponsesClients } from "./responses-clients.ts";

const clients = useResponsesClients();
const question = "Tell me about the sea.";
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
const onError = () => undefined;
const city = z.object({ city: z.string() });

describe("openai", () => {
  test("create, whole and streamed, and stream() say the same and cost what usage says", async () => {
    const customer = await clients.customer();
    const client = customer.openai();
    const whole = await client.responses.create({ model: "best", input: question });
    expect(whole).toMatchObject({ object: "response", status: "completed", model: "plain/chat" });
    expect(whole.output_text).toContain("You said:");
    let text = "";
    let last;
    for await (const event of await client.responses.create({ model: "best", input: question, stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta;
      last = event;
    }
    expect(text).toBe(whole.output_text);
    expect(last).toMatchObject({ type: "response.completed", response: { usage: whole.usage } });
    const helper = client.responses.stream({ model: "best", input: question });
    let helped = "";
    helper.on("response.output_text.delta", ({ delta }) => void (helped += delta));
    expect((await helper.finalResponse()).output_text).toBe(whole.output_text);
    expect(helped).toBe(whole.output_text);
    const { input_tokens, output_tokens } = whole.usage!;
    expect(costIn(whole.usage)).toBeCloseTo(costOf({ input: input_tokens, output: output_tokens }), 8);
    expect(await customer.spent()).toBeCloseTo(3 * costIn(whole.usage), 8);
  });

  test("parse gives a value of the zod schema", async () => {
    const client = (await clients.customer()).openai();
    const parsed = await client.responses.parse({ model: "plain/chat", input: question, text: { format: zodTextFormat(city, "city") } });
    expect(parsed.output_parsed).toEqual({ city: expect.any(String) });
  });

  test("tools by zod: parallel calls are parsed, streamed as whole, and their results lead to a text", async () => {
    const customer = await clients.customer();
    const client = customer.openai();
    const tools = [
      zodResponsesFunction({ name: "get_weather", parameters: city }),
      zodResponsesFunction({ name: "get_time", parameters: z.object({ zone: z.string() }) }),
    ];
    const ask = { model: "plain/chat", input: "Call get_weather and get_time", tools };
    const whole = await client.responses.parse(ask);
    const calls = whole.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
    expect(calls.map(({ name, parsed_arguments }) => [name, parsed_arguments])).toEqual([
      ["get_weather", { city: expect.any(String) }],
      ["get_time", { zone: expect.any(String) }],
    ]);
    const streamed = await client.responses.stream(ask).finalResponse();
    const plain = ({ output }: { output: unknown[] }) => JSON.stringify(output).replaceAll(/"id":"[^"]+"/g, "");
    expect(plain(streamed)).toBe(plain(whole));
    const input: ResponseInputItem[] = [
      { role: "user", content: ask.input },
      ...calls.map(({ parsed_arguments: _, ...call }) => call),
      ...calls.map(({ call_id }): ResponseInputItem => ({ type: "function_call_output", call_id, output: "fine" })),
    ];
    const next = await client.responses.create({ model: "plain/chat", input, tools });
    expect(next.output_text).toContain("You said:");
  });

  test.each(["tools/null-fields", "tools/no-index", "tools/whole-calls"])("%s: the helper streams its calls", async (model) => {
    const client = (await clients.customer()).openai();
    const tools = [zodResponsesFunction({ name: "get_weather", parameters: city })];
    const { output } = await client.responses.stream({ model, input: "Call get_weather", tools }).finalResponse();
    expect(output).toMatchObject([{ type: "function_call", name: "get_weather", parsed_arguments: { city: expect.any(String) } }]);
  });

  test("a custom tool gets its text, streamed as whole", async () => {
    const client = (await clients.customer()).openai();
    const ask = { model: "plain/chat", input: "Use apply_patch", tools: [{ type: "custom" as const, name: "apply_patch" }] };
    const whole = await client.responses.create(ask);
    const streamed = await client.responses.stream(ask).finalResponse();
    for (const { output } of [whole, streamed])
      expect(output).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: expect.any(String) }]);
  });

  test("thinking is a summary, streamed as whole", async () => {
    const client = (await clients.customer()).openai();
    const whole = await client.responses.create({ model: "think/plain", input: question, reasoning: { effort: "low", summary: "auto" } });
    const streamed = await client.responses.stream({ model: "think/plain", input: question, reasoning: { effort: "low" } }).finalResponse();
    expect(whole.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    expect(streamed.output_text).toBe(whole.output_text);
    expect(whole.usage!.output_tokens_details.reasoning_tokens).toBe(16);
  });

  test.each([
    ["what needs a store", { previous_response_id: "resp_1" }, 400, "stateless_only"],
    ["an unknown model", { model: "plain/nothing" }, 404, "model_not_found"],
    ["a rejected request", { model: "fail/rejects-422" }, 422, "request_rejected"],
  ])("%s raises the error class of its status, once", async (_, body, status, code) => {
    const customer = await clients.customer();
    const asked = customer.openai().responses.create({ model: "plain/chat", input: question, ...body });
    await expect(asked).rejects.toMatchObject({ status, code, requestID: expect.stringMatching(/^req_/) });
    await expect(asked).rejects.toBeInstanceOf(OpenAI.APIError);
    expect(customer.exchanges).toHaveLength(1);
  });

  test.each(["broken/error-record", "broken/cut", "broken/early-end"])(
    "%s: create and stream() raise stream_interrupted",
    async (model) => {
      const customer = await clients.customer();
      const client = customer.openai();
      let text = "";
      const read = async () => {
        for await (const event of await client.responses.create({ model, input: question, stream: true }))
          if (event.type === "response.output_text.delta") text += event.delta;
      };
      await expect(read()).rejects.toMatchObject({ code: "stream_interrupted", type: "upstream_error" });
      expect(text).not.toBe("");
      await expect(client.responses.stream({ model, input: question }).finalResponse()).rejects.toMatchObject({
        code: "stream_interrupted",
      });
      expect(await customer.spent()).toBe(0);
    },
  );

  test("a caller who aborts pays for what was delivered and leaves the upstream", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const stream = await customer.openai().responses.create({ model: "plain/unhurried", input: question, stream: true });
    let deltas = 0;
    for await (const { type } of stream) if (type === "response.output_text.delta" && ++deltas === 20) stream.controller.abort();
    await quiet(clients.gateway);
    expect(clients.gateway.simulator.counters()).toMatchObject({ received: 1, aborted: 1 });
    await until(async () => (await customer.spent()) > 0);
    expect(await customer.spent()).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 390 }));
  });
});

describe("AI SDK, openai(id)", () => {
  const providerOptions = { openai: { store: false } };
  const tools = {
    get_weather: tool({ description: "The weather", inputSchema: city, execute: (given) => `sunny in ${given.city}` }),
    get_time: tool({ description: "The time", inputSchema: z.object({ zone: z.string() }), execute: () => "noon" }),
  };

  test("generateText and streamText say the same and count the same tokens", async () => {
    const customer = await clients.customer();
    const model = customer.aiSdkOpenAI("plain/cached");
    const whole = await generateText({ model, prompt: question });
    const stream = streamText({ model, prompt: question });
    expect(await stream.text).toBe(whole.text);
    expect(whole).toMatchObject({ finishReason: "stop", warnings: [] });
    const usage = await stream.usage;
    expect(usage).toEqual(whole.usage);
    expect(usage).toMatchObject({ inputTokens: 1000, inputTokenDetails: { cacheReadTokens: 600 } });
    expect(await customer.spent()).toBeCloseTo(2 * costIn(usage.raw), 8);
    expect(new Set(customer.exchanges.map(({ path }) => path))).toEqual(new Set(["/v1/responses"]));
  });

  test("tools in several steps with store: false, streamed as whole", async () => {
    const customer = await clients.customer();
    const ask = { prompt: "Call get_weather and get_time", tools, stopWhen: isStepCount(3), providerOptions };
    const whole = await generateText({ model: customer.aiSdkOpenAI("plain/chat"), ...ask });
    expect(whole.steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([["get_weather", "get_time"], []]);
    const stream = streamText({ model: customer.aiSdkOpenAI("plain/chat"), ...ask });
    expect(await stream.text).toBe(whole.text);
    expect((await stream.steps).map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0]);
    const costs = [...whole.steps, ...(await stream.steps)].map(({ usage }) => costIn(usage.raw));
    expect(await customer.spent()).toBeCloseTo(
      costs.reduce((sum, cost) => sum + cost),
      8,
    );
  });

  test("without it tools work as well, but thinking is referred to in a store: the error says what to do", async () => {
    const customer = await clients.customer();
    const ask = { prompt: "Call get_weather", tools, stopWhen: isStepCount(2) };
    expect((await generateText({ model: customer.aiSdkOpenAI("plain/chat"), ...ask })).steps).toHaveLength(2);
    const model = customer.aiSdkOpenAI("think/plain");
    const asked = generateText({ model, ...ask });
    await expect(asked).rejects.toThrow(/with store: false/);
  });

  test("a custom tool gets its text", async () => {
    const { aiSdkOpenAI } = await clients.customer();
    const seen: unknown[] = [];
    const patch = aiSdkOpenAI.tools.customTool({ description: "Patches" });
    const { toolCalls } = await generateText({
      model: aiSdkOpenAI("plain/chat"),
      prompt: "Use apply_patch",
      tools: { apply_patch: patch },
      providerOptions,
    });
    seen.push(...toolCalls.map(({ input }) => input));
    expect(seen).toEqual([expect.any(String)]);
  });

  test("Output.object gives a value of the schema", async () => {
    const model = (await clients.customer()).aiSdkOpenAI("plain/chat");
    const whole = await generateText({ model, prompt: question, output: Output.object({ schema: city }) });
    expect(whole.output).toEqual({ city: expect.any(String) });
  });

  test("thinking is reasoning, and goes back to the model with the results of tools", async () => {
    const model = (await clients.customer()).aiSdkOpenAI("think/plain");
    const whole = await generateText({ model, prompt: question, providerOptions });
    const stream = streamText({ model, prompt: question, providerOptions });
    expect(whole.reasoningText).toEqual(expect.stringMatching(/\w/));
    expect(await stream.reasoningText).toBe(whole.reasoningText);
    expect(await stream.text).toBe(whole.text);
    expect((await stream.usage).outputTokenDetails.reasoningTokens).toBe(32);
    const { get_weather } = tools;
    const ask = { model, prompt: "Use get_weather", tools: { get_weather }, stopWhen: isStepCount(2), providerOptions };
    for (const steps of [(await generateText(ask)).steps, await streamText(ask).steps]) {
      expect(steps).toHaveLength(2);
      const { messages } = clients.gateway.simulator.calls().at(-1)!.json as { messages: { role: string; reasoning_content?: string }[] };
      expect(messages.find(({ role }) => role === "assistant")!.reasoning_content).toBe(steps[0]!.reasoningText);
    }
  });

  test.each(["broken/error-record", "broken/cut", "broken/early-end"])("%s: the stream raises once", async (name) => {
    const customer = await clients.customer();
    const errors: unknown[] = [];
    const stream = streamText({
      model: customer.aiSdkOpenAI(name),
      prompt: question,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    await stream.consumeStream({ onError });
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors[0]) + String(errors[0])).toContain("The stream was interrupted");
    expect(await customer.spent()).toBe(0);
  });

  test("errors are read from their body", async () => {
    const model = (await clients.customer()).aiSdkOpenAI("plain/nothing");
    await expect(generateText({ model, prompt: question, maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringContaining("plain/nothing"),
    });
  });
});

describe("LangChain, useResponsesApi", () => {
  const fields = { useResponsesApi: true };

  test("invoke and stream say the same and count the same tokens", async () => {
    const customer = await clients.customer();
    const model = customer.langchain("plain/chat", fields);
    const whole = await model.invoke([new HumanMessage(question)]);
    let streamed;
    for await (const chunk of await model.stream([new HumanMessage(question)]))
      streamed = streamed === undefined ? chunk : streamed.concat(chunk);
    expect(streamed!.text).toBe(whole.text);
    expect(streamed!.usage_metadata).toMatchObject({ total_tokens: whole.usage_metadata!.total_tokens });
    const { input_tokens, output_tokens } = whole.usage_metadata!;
    expect(await customer.spent()).toBeCloseTo(2 * costOf({ input: input_tokens, output: output_tokens }), 8);
    expect(customer.exchanges.map(({ path }) => path)).toEqual(["/v1/responses", "/v1/responses"]);
  });

  test("tools: calls, then an answer to their results", async () => {
    const getWeather = langchainTool((given) => `sunny in ${given.city}`, {
      name: "get_weather",
      description: "The weather",
      schema: city,
    });
    const model = (await clients.customer()).langchain("plain/chat", { ...fields, zdrEnabled: true }).bindTools([getWeather]);
    const asked = new HumanMessage("Call get_weather");
    const called = await model.invoke([asked]);
    expect(called.tool_calls).toMatchObject([{ name: "get_weather", args: { city: expect.any(String) } }]);
    const result = new ToolMessage({ tool_call_id: called.tool_calls![0]!.id!, content: "sunny" });
    expect((await model.invoke([asked, called, result])).text).toContain("You said:");
  });

  test("a stream that breaks throws", async () => {
    const model = (await clients.customer()).langchain("broken/cut", fields);
    const read = async () => {
      for await (const _ of await model.stream([new HumanMessage(question)]));
    };
    await expect(read()).rejects.toMatchObject({ code: "stream_interrupted" });
  });
});
