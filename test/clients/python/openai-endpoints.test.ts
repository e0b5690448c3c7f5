// Embeddings, text completions and Responses with Python's openai package.
import { expect, test } from "vitest";
import { costIn, useClients } from "../clients.ts";
import { describeWithPython, usePython } from "./python.ts";

describeWithPython("openai for Python", () => {
  const clients = useClients();
  const python = usePython("openai_endpoints");
  const runScenario = async (scenario: string, args: Record<string, unknown>) => {
    const customer = await clients.customer();
    const ran = await python.run(scenario, { base: clients.gateway.url, key: customer.account.key }, args);
    if (ran.raised) throw new Error(`${ran.raised.class}: ${ran.raised.text}`);
    return { customer, value: ran.value };
  };

  test("embeddings: asked for in base64, as the package does by itself, or as numbers: the same vectors", async () => {
    const { customer, value: packed } = await runScenario("embed", { model: "vectors/small" });
    expect(await customer.spent()).toBe(costIn(packed.usage));
    const { value: plain } = await runScenario("embed", { model: "vectors/small", encoding_format: "float" });
    expect(packed).toMatchObject({ sizes: [1536, 1536], indexes: [0, 1] });
    expect(plain.sizes).toEqual(packed.sizes);
    for (const [at, number] of packed.first.entries()) expect(plain.first[at]).toBeCloseTo(number, 6);
    expect((await runScenario("embed", { model: "vectors/small", dimensions: 8 })).value.sizes).toEqual([8, 8]);
  });

  test("embeddings of tokens, one list and several, each token billed once", async () => {
    const { customer, value: several } = await runScenario("embed_tokens", { model: "vectors/small", tokens: [[9906, 1917], [15339]] });
    expect(several).toMatchObject({ sizes: [1536, 1536], usage: { prompt_tokens: 3 } });
    expect(await customer.spent()).toBe(costIn(several.usage));
    const { value: one } = await runScenario("embed_tokens", { model: "vectors/small", tokens: [9906, 1917] });
    expect(one).toMatchObject({ sizes: [1536], first: several.first, usage: { prompt_tokens: 2 } });
  });

  test("completions of several prompts with echo and log probabilities, whole and streamed", async () => {
    const asked = { model: "plain/base", prompt: ["one sea", "two seas"], echo: true, logprobs: 1 };
    const { customer, value: whole } = await runScenario("complete", asked);
    expect(await customer.spent()).toBe(costIn(whole.usage));
    expect(whole.texts).toEqual([expect.stringMatching(/^one sea/), expect.stringMatching(/^two seas/)]);
    for (const [at, { tokens, token_logprobs }] of whole.logprobs.entries()) {
      expect(tokens.join("")).toBe(whole.texts[at]);
      expect(token_logprobs[0]).toBeNull();
    }
    expect((await runScenario("complete_stream", asked)).value.texts).toEqual(whole.texts);
  });

  test("responses: created, streamed and parsed", async () => {
    const { customer, value: whole } = await runScenario("respond", { model: "plain/chat" });
    expect(whole).toMatchObject({ status: "completed", text: expect.stringContaining("You said:") });
    expect(await customer.spent()).toBe(costIn(whole.usage));
    const { value: streamed } = await runScenario("respond_stream", { model: "plain/chat" });
    expect(streamed).toMatchObject({ status: "completed", text: whole.text });
    expect(streamed.types.at(0)).toBe("response.created");
    expect(streamed.types.at(-1)).toBe("response.completed");
    expect((await runScenario("respond_parse", { model: "plain/chat" })).value).toMatchObject({ type: "Review" });
  });
});
