// LangChain's ChatAnthropic against /v1/messages: it adds the tokens of message_start and message_delta, and
// carries an older Anthropic SDK of its own.
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

test("invoke and stream say the same and count the same tokens; both are charged by them", async () => {
  const customer = await clients.customer();
  const model = customer.langchainAnthropic("plain/chat");
  const whole = await model.invoke(question);
  const streamed = await collected(await model.stream(question));
  expect(whole.text).toContain("You said:");
  expect(streamed.text).toBe(whole.text);
  const { input_tokens, output_tokens } = whole.usage_metadata!;
  expect(await customer.spent()).toBeCloseTo(2 * costOf({ input: input_tokens, output: output_tokens }), 8);
  // Its input is message_start's, which comes before the upstream has counted anything.
  expect(streamed.usage_metadata!.output_tokens).toBe(output_tokens);
  expect(customer.exchanges.map(({ path }) => path)).toEqual(["/v1/messages", "/v1/messages"]);
});

test("thinking is a block of its own, whole and streamed", async () => {
  const model = (await clients.customer()).langchainAnthropic("think/plain", {
    thinking: { type: "enabled", budget_tokens: 1024 },
    maxTokens: 4000,
  });
  const thinkingIn = ({ content }: { content: unknown }) =>
    (content as { type: string; thinking?: string }[]).map(({ thinking }) => thinking ?? "").join("");
  const whole = await model.invoke(question);
  expect(thinkingIn(whole)).not.toBe("");
  expect(thinkingIn(await collected(await model.stream(question)))).toBe(thinkingIn(whole));
});

test.each(["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"])(
  "tools of %s: parallel calls are the same streamed and whole, and a result sent back is answered",
  async (name) => {
    const model = (await clients.customer()).langchainAnthropic(name).bindTools([weather, time]);
    const ask = [new HumanMessage("Call get_weather and get_time")];
    const whole = await model.invoke(ask);
    const streamed = await collected(await model.stream(ask));
    const named = ({ tool_calls }: { tool_calls?: { name: string; args: unknown }[] }) =>
      tool_calls!.map(({ name: of, args }) => [of, args]);
    expect(named(whole).map(([of]) => of)).toEqual(["get_weather", "get_time"]);
    expect(named(streamed)).toEqual(named(whole));
    expect(streamed.invalid_tool_calls).toEqual([]);
    for (const said of [whole, streamed]) {
      const results = said.tool_calls!.map((call) => new ToolMessage({ content: "done", tool_call_id: call.id! }));
      expect((await model.invoke([...ask, said, ...results])).text).toContain("You said:");
    }
  },
);

test.each(["functionCalling", "jsonSchema"] as const)("withStructuredOutput by %s gives a value of the schema", async (method) => {
  const shape = z.object({ title: z.string(), stars: z.number().int() });
  const model = (await clients.customer()).langchainAnthropic("plain/chat").withStructuredOutput(shape, { method, name: "extract" });
  const value = await model.invoke("Review the sea");
  expect(shape.parse(value)).toEqual(value);
});

describe("failures", () => {
  test.each([
    ["fail/rejects-400", 400, "request_rejected"],
    ["fail/refuses", 403, "route_refused"],
    ["plain/nothing", 404, "model_not_found"],
    ["fail/down", 503, "provider_unavailable"],
  ])("%s: invoke and stream reject with status %i and code %s; no charge", async (name, status, code) => {
    const customer = await clients.customer();
    const model = customer.langchainAnthropic(name);
    await expect(model.invoke(question)).rejects.toMatchObject({ status, error: { error: { code } } });
    await expect(model.stream(question).then(collected)).rejects.toMatchObject({ status, error: { error: { code } } });
    expect(await customer.spent()).toBe(0);
  });

  test.each(["broken/error-record", "broken/cut"])("%s: the stream throws after the text so far, no charge", async (name) => {
    const customer = await clients.customer();
    let text = "";
    const read = async () => {
      for await (const chunk of await customer.langchainAnthropic(name).stream(question)) text += chunk.text;
    };
    await expect(read()).rejects.toThrow(/stream_interrupted/);
    expect(text).not.toBe("");
    expect(await customer.spent()).toBe(0);
  });

  test("a caller who aborts pays for what was delivered and leaves the upstream", async () => {
    const customer = await clients.customer();
    clients.gateway.simulator.reset();
    const controller = new AbortController();
    let chunks = 0;
    const read = async () => {
      for await (const _ of await customer.langchainAnthropic("plain/unhurried").stream(question, { signal: controller.signal }))
        if (++chunks === 20) controller.abort();
    };
    await read().catch(() => undefined); // silent or an AbortError, by version
    await quiet(clients.gateway);
    expect(clients.gateway.simulator.counters()).toMatchObject({ received: 1, aborted: 1 });
    expect(await customer.spent()).toBeGreaterThan(0);
    expect(await customer.spent()).toBeLessThan(costOf({ input: 100, output: 390 }));
  });
});

async function collected(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let all: AIMessageChunk | undefined;
  for await (const chunk of stream) all = all === undefined ? chunk : all.concat(chunk);
  if (all === undefined) throw new Error("the stream was empty");
  return all;
}
