// Tool calls as the OpenAI SDK reads them, from hosts that each stream them in a way of their own (docs/behaviour/streams.md#tool-calls):
// the helper throws at a missing index or type, so whatever passes here is in the one strict form.
import type OpenAI from "openai";
import type { RunnableToolFunctionWithParse } from "openai/lib/RunnableFunction";
import { describe, expect, test } from "vitest";
import { userMessage, useClients } from "./clients.ts";

const clients = useClients();
const models = ["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"];
const both = userMessage("Call get_weather and get_time, please.");

function tool(name: string, strict = false): OpenAI.ChatCompletionFunctionTool {
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
  return { type: "function", function: { name, description: `Tells ${name}`, parameters, strict } };
}

describe.each(models)("%s", (model) => {
  for (const strict of [false, true]) {
    test(`parallel calls of ${strict ? "strict" : "plain"} tools: streamed as whole, with the same ids, names and arguments`, async () => {
      const { completions } = (await clients.customer()).openai().chat;
      const request = { model, messages: both, tools: [tool("get_weather", strict), tool("get_time", strict)] };
      const whole = callsOf((await completions.create(request)).choices[0]!);
      expect(whole.map(({ name }) => name)).toEqual(["get_weather", "get_time"]);
      expect(new Set(whole.map(({ id }) => id)).size).toBe(2);
      for (const call of whole) expect(JSON.parse(call.arguments)).toEqual({ city: expect.any(String) });
      const { choices } = await completions.stream(request).finalChatCompletion();
      expect(callsOf(choices[0]!)).toEqual(whole);
      expect(choices[0]!.finish_reason).toBe("tool_calls");
    });
  }

  test("the helper's tool events end with arguments that parse", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const stream = completions.stream({ model, messages: both, tools: [tool("get_weather"), tool("get_time")] });
    const done: string[] = [];
    stream.on(
      "tool_calls.function.arguments.done",
      ({ name, arguments: text }) => void done.push(`${name} ${Object.keys(JSON.parse(text) as object).join()}`),
    );
    await stream.done();
    expect(done).toEqual(["get_weather city", "get_time city"]);
  });

  test("each call is named once; later deltas carry index and arguments only", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const stream = await completions.create({ model, messages: both, tools: [tool("get_weather"), tool("get_time")], stream: true });
    const named: number[] = [];
    for await (const { choices } of stream) {
      for (const call of choices[0]!.delta.tool_calls ?? []) {
        if (named.includes(call.index)) expect(call).toEqual({ index: call.index, function: { arguments: expect.any(String) } });
        else
          expect(call).toEqual({
            index: named.length,
            id: expect.any(String),
            type: "function",
            function: { name: expect.any(String), arguments: "" },
          });
        if (!named.includes(call.index)) named.push(call.index);
      }
    }
    expect(named).toEqual([0, 1]);
  });

  for (const stream of [false, true]) {
    test(`runTools comes to its end, ${stream ? "streamed" : "whole"}: the tool runs once and its result is answered`, async () => {
      const cities: string[] = [];
      const weather = {
        type: "function" as const,
        function: {
          ...tool("get_weather").function,
          parameters: tool("get_weather").function.parameters!,
          parse: (text: string) => JSON.parse(text) as { city: string },
          function: ({ city }: { city: string }) => {
            cities.push(city);
            return "sunny";
          },
        },
      };
      const { completions } = (await clients.customer()).openai().chat;
      const request = { model, messages: userMessage("What is the weather in Paris?") };
      // The SDK's own types know nothing of tools that two overloads share.
      const tools = [weather] as unknown as RunnableToolFunctionWithParse<{ city: string }>[];
      const runner = stream ? completions.runTools({ ...request, tools, stream: true }) : completions.runTools({ ...request, tools });
      expect(await runner.finalContent()).toContain("You said:");
      expect(cities).toEqual([expect.any(String)]);
      expect(runner.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    });
  }
});

describe("choices of the caller", () => {
  const tools = [tool("get_weather"), tool("get_time")];

  test("parallel_tool_calls: false and a named tool_choice are obeyed; none gives text", async () => {
    const { completions } = (await clients.customer()).openai().chat;
    const one = await completions.create({ model: "plain/chat", messages: both, tools, parallel_tool_calls: false });
    expect(callsOf(one.choices[0]!)).toHaveLength(1);
    const named = { type: "function" as const, function: { name: "get_time" } };
    const chosen = await completions.create({ model: "plain/chat", messages: userMessage("hello"), tools, tool_choice: named });
    expect(callsOf(chosen.choices[0]!).map(({ name }) => name)).toEqual(["get_time"]);
    const none = await completions.create({ model: "plain/chat", messages: both, tools, tool_choice: "none" });
    expect(none.choices[0]!.message.content).toContain("You said:");
  });

  test("a model that takes no tools refuses them before anything is charged", async () => {
    const customer = await clients.customer();
    const call = customer.openai().chat.completions.create({ model: "blind/plain", messages: both, tools });
    await expect(call).rejects.toMatchObject({ status: 400, code: "invalid_parameter", param: "tools" });
    expect(await customer.spent()).toBe(0);
  });
});

function callsOf({ message }: OpenAI.ChatCompletion.Choice): { id: string; name: string; arguments: string }[] {
  return (message.tool_calls ?? []).map((call) => {
    if (call.type !== "function") throw new Error(`a call of type ${call.type}`);
    return { id: call.id, name: call.function.name, arguments: call.function.arguments };
  });
}
