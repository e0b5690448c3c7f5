// The official SDK, pointed at the simulator: what it does by itself must work.
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { useSimulator, userMessage } from "./simulator-fixture.ts";

const simulator = useSimulator();
const client = (prefix = "/v1") => new OpenAI({ apiKey: "any", baseURL: simulator.current.url + prefix, maxRetries: 0 });

describe("openai SDK", () => {
  test("the same words whole and streamed, under /v1 and /openai/v1, with the same usage", async () => {
    const messages = userMessage("Grüße an das Meer 🌊");
    const whole = await client().chat.completions.create({ model: "demo", messages });
    const stream = client("/openai/v1").chat.completions.stream({ model: "demo", messages, stream_options: { include_usage: true } });
    const streamed = await stream.finalChatCompletion();
    expect(whole.choices[0]!.message.content).toContain("Grüße an das Meer 🌊");
    expect(streamed.choices[0]!.message.content).toBe(whole.choices[0]!.message.content);
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.id).toBe(whole.id);
  });

  for (const stream of [false, true]) {
    test(`runTools ends: the tool is called with arguments of its schema, then text (stream: ${stream})`, async () => {
      const seen: unknown[] = [];
      const params = {
        model: "demo",
        messages: userMessage("What is the weather in Paris?"),
        tools: [
          {
            type: "function" as const,
            function: {
              name: "get_weather",
              description: "The weather of a city",
              parameters: {
                type: "object",
                properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 3 } },
                required: ["city", "days"],
              },
              parse: JSON.parse,
              function: (input: { city: string; days: number }) => {
                seen.push(input);
                return "sunny";
              },
            },
          },
        ],
      };
      const api = client().chat.completions;
      const runner = stream ? api.runTools({ ...params, stream: true } as any) : api.runTools({ ...params } as any);
      expect(await (runner as any).finalContent()).toContain("You said:");
      expect(seen).toEqual([{ city: expect.any(String), days: expect.any(Number) }]);
      expect((seen[0] as { days: number }).days).toBeGreaterThanOrEqual(1);
      expect((seen[0] as { days: number }).days).toBeLessThanOrEqual(3);
    });
  }

  test("structured output parses under the caller's own zod schema", async () => {
    const shape = z.object({
      title: z.string(),
      mood: z.enum(["calm", "wild"]),
      waves: z.array(z.object({ metres: z.number().min(0).max(30) })),
      note: z.string().nullable(),
    });
    const request = { model: "demo", messages: userMessage("The sea"), response_format: zodResponseFormat(shape, "sea") };
    const completion = await client().chat.completions.parse(request);
    expect(shape.safeParse(completion.choices[0]!.message.parsed).success).toBe(true);
    const streamed = await client().chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]!.message.parsed).toEqual(completion.choices[0]!.message.parsed);
  });

  test("embeddings: the default base64 and floats are the same unit vectors, shorter ones too", async () => {
    const input = ["a boat on the sea", "the sea and a boat", "quarterly tax report"];
    const coded = await client().embeddings.create({ model: "embed", input });
    const floats = await client().embeddings.create({ model: "embed", input, encoding_format: "float" });
    const short = await client().embeddings.create({ model: "embed", input, dimensions: 64 });
    expect(simulator.current.calls()[0]!.json).toMatchObject({ encoding_format: "base64" });
    expect(coded.data.map(({ embedding }) => embedding.length)).toEqual([1536, 1536, 1536]);
    expect(short.data[0]!.embedding).toHaveLength(64);
    for (const [index, { embedding }] of floats.data.entries()) expect(coded.data[index]!.embedding).toEqual(embedding);
    for (const { embedding } of [...coded.data, ...short.data]) expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
    const [first, near, far] = floats.data.map(({ embedding }) => embedding) as [number[], number[], number[]];
    expect(dot(first, near)).toBeGreaterThan(dot(first, far) + 0.3);
    const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    expect(coded.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  });

  test("models are listed, and any id is found", async () => {
    expect((await client().models.list()).data.map(({ id }) => id)).toContain("sim-chat");
    expect(await client().models.retrieve("vendor/anything")).toMatchObject({ id: "vendor/anything", object: "model" });
  });

  test("faults become the SDK's own errors", async () => {
    const messages = userMessage("hi");
    await expect(client().chat.completions.create({ model: "sim-429", messages })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(client().chat.completions.create({ model: "sim-401", messages })).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const broken = client().chat.completions.stream({ model: "m+sim-error-after-3", messages });
    await expect(broken.finalChatCompletion()).rejects.toMatchObject({ code: "internal_error" });
  });
});

function dot(left: number[], right: number[]): number {
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}
