// What a chat answers: counts, limits, tools, documents, reasoning, logprobs.
import addFormats from "ajv-formats";
import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countTokens, splitTokens } from "../../src/simulator/prose.ts";
import { sampleSchema } from "../../src/simulator/schema-sample.ts";
import { seededRandom } from "../../src/simulator/seed.ts";
import { chat, readStream, userMessage, useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();

describe("tokens", () => {
  test("cutting a text loses nothing and agrees with counting, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const tokens = splitTokens(text);
        expect(tokens.join("")).toBe(text);
        expect(tokens.every((token) => token !== undefined && token.length > 0)).toBe(true);
        expect(countTokens(text)).toBe(tokens.length);
      }),
    );
    expect(countTokens("abcd")).toBe(1);
    expect(countTokens("abcde")).toBe(2);
  });
});

describe("length", () => {
  test("max_tokens is kept exactly and said by finish_reason; the shorter answer begins the longer", async () => {
    const whole = await chat(simulator.current, "m");
    const short = await chat(simulator.current, "m", { max_tokens: 7 });
    expect(short.usage.completion_tokens).toBe(7);
    expect(short.choices[0].finish_reason).toBe("length");
    expect(countTokens(short.choices[0].message.content)).toBe(7);
    expect(whole.choices[0].finish_reason).toBe("stop");
    expect(whole.choices[0].message.content.startsWith(short.choices[0].message.content)).toBe(true);
    expect(whole.usage.completion_tokens).toBe(countTokens(whole.choices[0].message.content));
  });

  test("stop sequences end the text before them; sim-tokens-N sets its length", async () => {
    const stopped = await chat(simulator.current, "m", { stop: ["sea"] });
    expect(stopped.choices[0].message.content).toBe('You said: "Tell me about the ');
    expect(stopped.choices[0].finish_reason).toBe("stop");
    const long = await chat(simulator.current, "m+sim-tokens-321");
    expect(long.usage.completion_tokens).toBe(321);
    expect(long.choices[0].finish_reason).toBe("stop");
  });

  test("prompt tokens: four a message, a quarter of the bytes, 85 an image", async () => {
    const content = [
      { type: "text", text: "12345678" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ];
    const reply = await chat(simulator.current, "m", {
      messages: [
        { role: "system", content: "abc" },
        { role: "user", content },
      ],
    });
    expect(reply.usage.prompt_tokens).toBe(4 + 1 + 4 + 2 + 85);
  });

  test("n choices differ and are counted together, streamed too", async () => {
    const whole = await chat(simulator.current, "m", { n: 3 });
    const texts = whole.choices.map((choice: any) => choice.message.content);
    expect(new Set(texts).size).toBe(3);
    expect(whole.usage.completion_tokens).toBe(texts.reduce((sum: number, text: string) => sum + countTokens(text), 0));
    const { chunks } = await readStream(simulator.current, "m", { n: 3 });
    const streamed = ["", "", ""];
    for (const { choices } of chunks) streamed[choices[0].index] += choices[0].delta.content ?? "";
    expect(streamed).toEqual(texts);
  });
});

describe("tools", () => {
  const tool = (name: string) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] } },
  });
  const tools = [tool("get_weather"), tool("find_flights")];
  const called = async (text: string, more = {}) => {
    const reply = await chat(simulator.current, "m", { messages: userMessage(text), tools, ...more });
    return (reply.choices[0].message.tool_calls ?? []).map((call: any) => call.function.name);
  };

  test("auto calls what the message is about, each tool that it names, and nothing else", async () => {
    expect(await called("Hello")).toEqual([]);
    expect(await called("How is the weather?")).toEqual(["get_weather"]);
    expect(await called("Use get_weather and find_flights")).toEqual(["get_weather", "find_flights"]);
    expect(await called("Use get_weather and find_flights", { parallel_tool_calls: false })).toEqual(["get_weather"]);
    expect(await called("please use tool")).toEqual(["get_weather"]);
  });

  test("tool_choice: none, required, a name", async () => {
    expect(await called("get_weather", { tool_choice: "none" })).toEqual([]);
    expect(await called("Hello", { tool_choice: "required" })).toEqual(["get_weather"]);
    expect(await called("Hello", { tool_choice: { type: "function", function: { name: "find_flights" } } })).toEqual(["find_flights"]);
  });

  test("streamed deltas: names once, or null, whole, without index as the directives say", async () => {
    const deltas = async (model: string) => {
      const { chunks } = await readStream(simulator.current, model, { tools, messages: userMessage("weather") });
      return chunks.flatMap((chunk: any) => chunk.choices[0].delta.tool_calls ?? []);
    };
    const [first, ...rest] = await deltas("m");
    expect(first).toMatchObject({
      index: 0,
      id: expect.stringMatching(/^call_/),
      type: "function",
      function: { name: "get_weather", arguments: "" },
    });
    expect(JSON.parse(rest.map((delta: any) => delta.function.arguments).join(""))).toEqual({ q: expect.any(String) });
    expect(Object.keys(rest[0])).toEqual(["index", "function"]);
    expect((await deltas("m+sim-null-tool-fields"))[1]).toMatchObject({ id: null, type: null, function: { name: null } });
    expect(await deltas("m+sim-whole-tool-calls")).toHaveLength(1);
    expect((await deltas("m+sim-no-tool-index"))[0]).not.toHaveProperty("index");
  });
});

describe("documents", () => {
  const node = {
    type: "object",
    properties: { value: { type: "integer" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
    required: ["value", "next"],
  };
  const schemas: Record<string, Record<string, unknown>> = {
    "bounds and steps": {
      type: "object",
      properties: {
        a: { type: "number", exclusiveMinimum: 0, maximum: 0.001 },
        b: { type: "integer", multipleOf: 7, minimum: 50, maximum: 60 },
      },
      required: ["a", "b"],
    },
    "references that recurse": { $ref: "#/$defs/node", $defs: { node } },
    "arrays and enums": { type: "array", minItems: 3, uniqueItems: true, items: { enum: ["x", "y", "z"] } },
    "tuples and consts": { type: "array", prefixItems: [{ const: 5 }, { type: "boolean" }], items: false, minItems: 2, maxItems: 2 },
    strings: {
      type: "object",
      properties: {
        p: { type: "string", pattern: "^[A-Z]{3}-\\d{2,4}$" },
        e: { type: "string", format: "email" },
        d: { type: "string", format: "date-time" },
        u: { type: "string", format: "uuid" },
        l: { type: "string", minLength: 80, maxLength: 90 },
      },
      required: ["p", "e", "d", "u", "l"],
    },
    allOf: {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: ["integer", "null"] } }, required: ["b"] },
      ],
    },
  };
  for (const [name, schema] of Object.entries(schemas)) {
    test(`a made-up document conforms to its schema: ${name}`, () => {
      const ajv = new (Ajv as any)({ strict: false });
      (addFormats as any)(ajv);
      const validate = ajv.compile(schema);
      for (let seed = 0; seed < 50; seed += 1) {
        const made = sampleSchema(schema, seededRandom(String(seed)));
        expect(validate(made), JSON.stringify([made, validate.errors])).toBe(true);
      }
    });
  }

  test("a schema without end is refused, json_object gives an object", async () => {
    const endless = { $ref: "#/$defs/a", $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] } } };
    const refused = await chat(simulator.current, "m", {
      response_format: { type: "json_schema", json_schema: { name: "x", schema: endless } },
    });
    expect(refused.error).toMatchObject({ code: "invalid_json_schema" });
    const reply = await chat(simulator.current, "m", { response_format: { type: "json_object" } });
    expect(JSON.parse(reply.choices[0].message.content)).toEqual({ answer: expect.any(String), confidence: expect.any(Number) });
  });
});

describe("reasoning and logprobs", () => {
  test("reasoning tokens stand inside completion tokens and take part in the limit", async () => {
    const reply = await chat(simulator.current, "vendor/reasoner");
    const { message } = reply.choices[0];
    expect(reply.usage.completion_tokens_details.reasoning_tokens).toBe(countTokens(message.reasoning_content));
    expect(reply.usage.completion_tokens).toBe(countTokens(message.reasoning_content) + countTokens(message.content));
    const short = await chat(simulator.current, "m", { reasoning_effort: "high", max_completion_tokens: 10 });
    expect(short.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "" } });
    expect(short.usage).toMatchObject({ completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 10 } });
    expect((await chat(simulator.current, "vendor/reasoner", { reasoning_effort: "none" })).choices[0].message).not.toHaveProperty(
      "reasoning_content",
    );
    const { chunks } = await readStream(simulator.current, "reason+sim-reasoning-field+sim-reasoning-tokens-3");
    expect(chunks.filter((chunk: any) => chunk.choices[0].delta.reasoning !== undefined)).toHaveLength(3);
  });

  test("logprobs: an entry a token, the said one first, probabilities within 1; the stream's are the same", async () => {
    const reply = await chat(simulator.current, "m", { logprobs: true, top_logprobs: 20 });
    const { content } = reply.choices[0].logprobs;
    expect(content.map(({ token }: any) => token).join("")).toBe(reply.choices[0].message.content);
    for (const entry of content) {
      expect(entry.top_logprobs).toHaveLength(20);
      expect(entry.top_logprobs[0]).toEqual({ token: entry.token, logprob: entry.logprob, bytes: [...Buffer.from(entry.token)] });
      expect(entry.top_logprobs.reduce((sum: number, { logprob }: any) => sum + Math.exp(logprob), 0)).toBeLessThanOrEqual(1);
      expect(new Set(entry.top_logprobs.map(({ token }: any) => token)).size).toBe(20);
    }
    const { chunks } = await readStream(simulator.current, "m", { logprobs: true, top_logprobs: 20 });
    expect(chunks.flatMap((chunk: any) => chunk.choices[0].logprobs?.content ?? [])).toEqual(content);
  });
});

describe("usage", () => {
  test("directives bend it: cached, forced, absent, in every chunk, in the finish chunk", async () => {
    expect((await chat(simulator.current, "m+sim-cached-3")).usage.prompt_tokens_details.cached_tokens).toBe(3);
    const forced = await chat(simulator.current, "m+sim-prompt-tokens-1000+sim-completion-tokens-20+sim-cached-5000");
    expect(forced.usage).toMatchObject({
      prompt_tokens: 1000,
      completion_tokens: 20,
      total_tokens: 1020,
      prompt_tokens_details: { cached_tokens: 1000 },
    });
    expect(await chat(simulator.current, "m+sim-no-usage")).not.toHaveProperty("usage");
    const asked = { stream_options: { include_usage: true } };
    const normal = (await readStream(simulator.current, "m", asked)).chunks;
    expect(normal.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10 } });
    expect(normal.slice(0, -1).every((chunk: any) => chunk.usage === null)).toBe(true);
    expect((await readStream(simulator.current, "m")).chunks.some((chunk: any) => "usage" in chunk)).toBe(false);
    expect((await readStream(simulator.current, "m+sim-no-usage", asked)).chunks.some((chunk: any) => "usage" in chunk)).toBe(false);
    const every = (await readStream(simulator.current, "m+sim-usage-every-chunk", asked)).chunks;
    expect(every.every((chunk: any) => chunk.usage.prompt_tokens === 10)).toBe(true);
    const finish = (await readStream(simulator.current, "m+sim-usage-in-finish", asked)).chunks;
    expect(finish.at(-1)).toMatchObject({ choices: [{ finish_reason: "stop" }], usage: normal.at(-1).usage });
  });
});
