// Whole answers in the shape that clients know, and the usage they are billed by. hosts/hosts.test.ts covers what single hosts do.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCompletion, readUsage } from "../../../src/providers/openai/response.ts";
import { ask, askWhole, expectFault, fixture, json, publicModel } from "./chat-fixture.ts";
import { providerAt, startHost } from "../upstream-fixture.ts";

const usageOf = (input: number, cacheRead: number, cacheWrite: number, output: number, reasoning: number) => ({
  input,
  cacheRead,
  cacheWrite,
  output,
  reasoning,
});

describe("usage, in disjoint buckets", () => {
  test.each([
    {},
    { usage: null },
    { usage: {} },
    { usage: { prompt_tokens: 0, completion_tokens: 0 } },
    { usage: { prompt_tokens: -5, completion_tokens: NaN } },
    { usage: { prompt_tokens: 1e300, completion_tokens: "7" } },
    { usage: { prompt_tokens: 10 } },
    { usage: { completion_tokens: 10 } },
    { usage: { total_tokens: 30 } },
    { usage: { prompt_tokens: 10, completion_tokens: 1e12 } },
    { usage: { prompt_tokens: 10, completion_tokens: "seven" } },
    { usage: { prompt_tokens: 10, completion_tokens: "" } },
    { usage: { prompt_tokens: 10, completion_tokens: null, total_tokens: 9 } },
    { usage: { prompt_tokens: 10, completion_tokens: null, total_tokens: 1e12 } },
    // The missing side may hold these or not, so the total makes nothing certain.
    { usage: { prompt_tokens: 10, total_tokens: 115, cache_read_input_tokens: 100 } },
    { usage: { completion_tokens: 20, total_tokens: 100, completion_tokens_details: { reasoning_tokens: 15 } } },
    { usage: [1] },
    { x_groq: { id: "1" } },
  ])("%j reports none", (answer) => {
    expect(readUsage(answer)).toBeNull();
  });

  test.each([
    [{ prompt_tokens: 10, completion_tokens: null, total_tokens: 30 }, 10, 20],
    [{ prompt_tokens: 10, completion_tokens: 1e12, total_tokens: 30 }, 10, 20],
    [{ prompt_tokens: 10, total_tokens: 10 }, 10, 0],
    [{ prompt_tokens: null, completion_tokens: 20, total_tokens: 30 }, 10, 20],
    [{ prompt_tokens: -5, completion_tokens: 20, total_tokens: "30" }, 10, 20],
    [{ prompt_tokens: "12", completion_tokens: "7" }, 12, 7],
    [{ prompt_tokens: "12.0", completion_tokens: "7" }, 12, 7],
    [{ prompt_tokens: null, input_tokens: "12", completion_tokens: 7 }, 12, 7],
  ])("%j: a number as text is one, a missing side is what the total leaves", (usage, input, output) => {
    expect(readUsage({ usage })).toEqual(usageOf(input, 0, 0, output, 0));
  });

  test("an output taken from the total holds its reasoning already", () => {
    const usage = { prompt_tokens: 10, total_tokens: 30, completion_tokens_details: { reasoning_tokens: 15 } };
    expect(readUsage({ usage })).toEqual(usageOf(10, 0, 0, 20, 15));
  });

  test("a total that could mean either is read as reasoning, never as both", () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 25,
      cached_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 10 },
    };
    expect(readUsage({ usage })).toEqual(usageOf(0, 10, 0, 15, 10));
  });

  test("whatever is reported: never negative, cached within the prompt, reasoning within the output, integers", () => {
    const amount = fc.oneof(fc.nat(500), fc.constantFrom(null, undefined, -1, 1.5, 1e300, NaN, "9"));
    const row = fc.record({
      prompt_tokens: amount,
      completion_tokens: amount,
      total_tokens: amount,
      cached_tokens: amount,
      cache_write_tokens: amount, // prettier-ignore
      prompt_tokens_details: fc.option(fc.record({ cached_tokens: amount, cache_creation_input_tokens: amount })),
      completion_tokens_details: fc.option(fc.record({ reasoning_tokens: amount })),
    });
    fc.assert(
      fc.property(row, (usage) => {
        const read = readUsage({ usage });
        if (read === null) return;
        for (const bucket of Object.values(read)) expect(Number.isInteger(bucket) && Number(bucket) >= 0).toBe(true);
        expect(read.reasoning).toBeLessThanOrEqual(read.output);
        const count = Number(usage.prompt_tokens ?? 0); // "9" is 9
        const shown = Number.isInteger(count) && count >= 0 ? count : 0;
        expect(read.input + read.cacheRead + read.cacheWrite).toBeGreaterThanOrEqual(shown > 1e8 ? 0 : shown);
        expect(read.input + read.cacheRead + read.cacheWrite).toBeLessThanOrEqual(Math.max(shown, Number(usage.total_tokens) || 0, 2));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("messages", () => {
  test("openai: kept as it is, the public model named, unknown keys kept", async () => {
    const { completion } = await askWhole(fixture("openai/whole.json"));
    expect(completion).toEqual({
      id: "up-9",
      object: "chat.completion",
      created: 1_790_000_000,
      model: publicModel,
      system_fingerprint: "fp_1",
      service_tier: "default",
      choices: [
        { index: 0, message: { role: "assistant", content: "Hi", refusal: null, annotations: [] }, logprobs: null, finish_reason: "stop" },
      ],
    });
  });

  test("gemini: empty ids are filled, each its own; the thought signature stays; id and created are ours", async () => {
    const { completion } = await askWhole(fixture("gemini/empty-call-ids.json"), { times: { clock: () => new Date(1_795_000_000_500) } });
    const calls = completion.choices[0]!.message.tool_calls!;
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    for (const { id } of calls) expect(id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(calls[0]).toMatchObject({ extra_content: { google: { thought_signature: "c2ln" } } });
    expect(calls[1]!.function!.arguments).toBe("{}");
    expect(completion.choices[0]!.message.content).toBeNull();
    expect(completion.id).toMatch(/^chatcmpl-[0-9a-f]{32}$/);
    expect(completion.created).toBe(1_795_000_000);
  });

  test("together: arrays of log probabilities become OpenAI's, bytes included", async () => {
    const { completion } = await askWhole(fixture("together/whole-legacy-logprobs.json"));
    const entry = (token: string, logprob: number, bytes: number[]) => ({ token, logprob, bytes });
    const hi = entry("Hi", -0.1, [72, 105]);
    const there = entry(" there", -0.2, [32, 116, 104, 101, 114, 101]);
    expect(completion.choices[0]!["logprobs"]).toEqual({
      content: [
        { ...hi, top_logprobs: [hi, entry("Yo", -3.5, [89, 111])] },
        { ...there, top_logprobs: [there] },
      ],
      refusal: null,
    });
  });

  test("error: null is not an error and not in the answer", async () => {
    expect((await askWhole(fixture("vllm/reasoning-and-call.json"))).completion).not.toHaveProperty("error");
  });

  test.each([
    ["stop", {}, "stop"],
    ["eos", {}, "stop"],
    ["", {}, "stop"],
    [null, {}, "stop"],
    [undefined, {}, "stop"],
    ["novel_reason", {}, "stop"],
    ["max_tokens", {}, "length"],
    ["SAFETY", {}, "content_filter"],
    ["function_call", { function_call: { name: "f", arguments: "{}" } }, "function_call"],
    ["function_call", { tool_calls: [{ function: { name: "f", arguments: "{}" } }] }, "tool_calls"],
    [null, { tool_calls: [{ function: { name: "f", arguments: "{}" } }] }, "tool_calls"],
    ["length", { tool_calls: [{ function: { name: "f", arguments: "{" } }] }, "length"],
  ])("finish reason %s with %j is %s", (reason, more, expected) => {
    const answer = { choices: [{ message: { content: null, ...more }, finish_reason: reason }] };
    expect(
      readCompletion(JSON.stringify(answer), "m", () => new Date(), providerAt("http://demo.example/v1")).completion.choices[0]!
        .finish_reason,
    ).toBe(expected);
  });

  test("an answer that says it failed midway is unreadable", async () => {
    await expectFault(askWhole('{"choices":[{"message":{"content":"a"},"finish_reason":"insufficient_system_resource"}]}'), "unreadable");
  });

  test("refusals, several choices and log probabilities are forwarded", async () => {
    const logprobs = { content: [{ token: "A", logprob: -0.5, bytes: [65], top_logprobs: [] }], refusal: null };
    const choices = [0, 1].map((index) => ({
      index,
      message: { role: "assistant", content: null, refusal: "no" },
      logprobs: { ...logprobs, extra: 1 },
      finish_reason: "stop",
    }));
    const { completion } = await askWhole(JSON.stringify({ choices }));
    expect(completion.choices).toEqual(choices.map((choice) => ({ ...choice, logprobs })));
  });

  test("the body goes out as it was given", async () => {
    const host = await startHost(json(200, fixture("openai/whole.json")));
    await ask(host, { body: '{"model":"x","seed":1e400, "a":"\\u00e9" }' });
    expect(host.requests[0]).toMatchObject({ url: "/v1/chat/completions", body: '{"model":"x","seed":1e400, "a":"\\u00e9" }' });
    expect(host.requests[0]!.headers.accept).toBe("application/json");
  });
});
