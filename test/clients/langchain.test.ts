// LangChain's ChatOpenAI against the gateway (docs/behaviour/streams.md): it always asks for usage, throws what the SDK
// throws, and retries with a layer of its own.
import { type AIMessageChunk, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { costOf, quiet, useClients } from "./clients.ts";

const clients = useClients();
const question = [new HumanMessage("Tell me about the sea.")];

const weather = tool(({ city }) => `sunny in ${city}`, {
  name: "get_weather",
  description: "The weather",
  schema: z.object({ city: z.string() }),
});
const time = tool(() => "noon", { name: "get_time", description: "The time", schema: z.object({ zone: z.string() }) });

describe("chat", () => {
  test("invoke and stream say the same and count the same tokens; both are charged by them", async () => {
    const customer = await clients.customer();
    const model = customer.langchain("plain/chat");
    const whole = await model.invoke(question);
    const streamed = await collected(await model.stream(question));
    expect(streamed.text).toBe(whole.text);
    expect(streamed.usage_metadata).toMatchObject(tokensOf(whole));
    expect(streamed.response_metadata).toMatchObject({ finish_reason: "stop" });
    const { input_tokens, output_tokens } = tokensOf(whole);
    expect(await customer.spent()).toBeCloseTo(2 * costOf({ input: input_tokens, output: output_tokens }), 8);
    expect(customer.exchanges.map(({ body }) => body.stream_options)).toEqual([undefined, { include_usage: true }]);
  });

  test("usage.cost reaches the caller of invoke", async () => {
    const customer = await clients.customer();
    const { response_metadata } = await customer.langchain("plain/chat").invoke(question);
    const { usage } = response_metadata as { usage: { cost: number } };
    expect(usage.cost).toBe(await customer.spent());
  });

  test("streamUsage: false: no usage is asked for, none is sent, the call is charged", async () => {
    const customer = await clients.customer();
    const { usage_metadata } = await collected(await customer.langchain("plain/chat", { streamUsage: false }).stream(question));
    expect(usage_metadata).toBeUndefined();
    expect(await customer.spent()).toBeGreaterThan(0);
  });

  test("batch: several prompts at once", async () => {
    const answers = await (
      await clients.customer()
    )
      .langchain("plain/chat")
      .batch(["one", "two", "three"].map((text) => [new HumanMessage(text)]));
    expect(answers.map(({ text }) => /You said: "(\w+)/.exec(text)?.[1])).toEqual(["one", "two", "three"]);
  });
});

describe("reasoning", () => {
  test("reasoning_content is in additional_kwargs, whole and streamed; reasoning tokens are in usage_metadata", async () => {
    const model = (await clients.customer()).langchain("think/plain");
    const whole = await model.invoke(question);
    const streamed = await collected(await model.stream(question));
    expect(whole.additional_kwargs.reasoning_content).toEqual(expect.any(String));
    expect(streamed.additional_kwargs.reasoning_content).toBe(whole.additional_kwargs.reasoning_content);
    expect(whole.usage_metadata!.output_token_details!.reasoning).toBe(32);
    expect(streamed.usage_metadata!.output_token_details!.reasoning).toBe(32);
  });
});

describe.each(["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"])("tools of %s", (name) => {
  test("parallel calls are the same streamed and whole, and a result sent back is answered", async () => {
    const model = (await clients.customer()).langchain(name).bindTools([weather, time]);
    const ask = [new HumanMessage("Call get_weather and get_time")];
    const whole = await model.invoke(ask);
    const streamed = await collected(await model.stream(ask));
    expect(whole.tool_calls!.map((call) => call.name)).toEqual(["get_weather", "get_time"]);
    expect(whole.invalid_tool_calls).toEqual([]);
    expect(streamed.tool_calls).toEqual(whole.tool_calls);
    expect(streamed.invalid_tool_calls).toEqual([]);
    const results = whole.tool_calls!.map((call) => new ToolMessage({ content: "done", tool_call_id: call.id! }));
    expect((await model.invoke([...ask, whole, ...results])).text).toContain("You said:");
  });
});

describe("structured output", () => {
  const shape = z.object({ title: z.string(), stars: z.number().int().min(1).max(5) });
  for (const method of ["jsonSchema", "functionCalling"] as const) {
    test(`withStructuredOutput by ${method} gives a value of the schema`, async () => {
      const model = (await clients.customer()).langchain("plain/chat").withStructuredOutput(shape, { method, name: "extract" });
      const value = await model.invoke("Review the sea");
      expect(shape.parse(value)).toEqual(value);
    });
  }
});

describe("failures", () => {
  test.each(["broken/error-record", "broken/cut", "broken/early-end"])(
    "%s: the stream throws stream_interrupted after the text so far",
    async (name) => {
      const customer = await clients.customer();
      let text = "";
      const read = async () => {
        for await (const chunk of await customer.langchain(name).stream(question)) text += chunk.text;
      };
      await expect(read()).rejects.toMatchObject({ code: "stream_interrupted", type: "upstream_error" });
      expect(text).not.toBe("");
      expect(await customer.spent()).toBe(0);
    },
  );

  test.each([
    ["fail/rejects-400", 400, "request_rejected"],
    ["fail/refuses", 403, "route_refused"],
    ["plain/nothing", 404, "model_not_found"],
    ["fail/rejects-422", 422, "request_rejected"],
    ["fail/unreadable", 502, "upstream_invalid_response"],
    ["fail/down", 503, "provider_unavailable"],
    ["fail/gone", 503, "model_unavailable"],
  ])("%s: invoke and stream reject with status %i and code %s", async (name, status, code) => {
    const customer = await clients.customer();
    const model = customer.langchain(name);
    await expect(model.invoke(question)).rejects.toMatchObject({ status, code });
    await expect(model.stream(question)).rejects.toMatchObject({ status, code });
    expect(customer.exchanges.map((exchange) => exchange.status)).toEqual([status, status]);
    expect(await customer.spent()).toBe(0);
  });

  test("what must not be resent is not: one attempt at 400, 402 and 404, whatever its retries", async () => {
    const customer = await clients.customer({ deposit: "0.000001" });
    for (const name of ["vectors/small", "plain/chat", "plain/nothing"]) {
      await expect(customer.langchain(name, { maxRetries: 2 }).invoke(question)).rejects.toThrow();
    }
    expect(customer.exchanges.map(({ status }) => status)).toEqual([400, 402, 404]);
  });

  test("its own retries: a fault that passes is not seen, and one answer is charged", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const { response_metadata } = await customer.langchain("fail/down-once", { maxRetries: 2 }).invoke(question);
    expect(customer.exchanges.map(({ status }) => status)).toEqual([502, 200]);
    expect(await customer.spent()).toBe((response_metadata as { usage: { cost: number } }).usage.cost);
  });

  test("a caller who aborts pays for what was delivered and leaves the upstream", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const controller = new AbortController();
    let chunks = 0;
    const read = async () => {
      for await (const _ of await customer.langchain("plain/unhurried").stream(question, { signal: controller.signal }))
        if (++chunks === 20) controller.abort();
    };
    await read().catch(() => undefined); // silent or an AbortError, by version
    await quiet(clients.gateway);
    expect(clients.gateway.simulator.counters()).toMatchObject({ received: 1, aborted: 1 });
    expect(await customer.spent()).toBeGreaterThanOrEqual(costOf({ input: 1, output: 19 }));
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 390 }));
  });
});

async function collected(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let all: AIMessageChunk | undefined;
  for await (const chunk of stream) all = all === undefined ? chunk : all.concat(chunk);
  if (all === undefined) throw new Error("the stream was empty");
  return all;
}

function tokensOf({
  usage_metadata,
}: {
  usage_metadata?: { input_tokens: number; output_tokens: number; total_tokens: number } | undefined;
}) {
  const { input_tokens, output_tokens, total_tokens } = usage_metadata!;
  return { input_tokens, output_tokens, total_tokens };
}
