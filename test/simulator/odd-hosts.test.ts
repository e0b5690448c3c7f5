// Habits of other hosts that speak the openai protocol: late and doubled usage, tool calls in turns, no logprobs, odd embeddings.
import { describe, expect, test } from "vitest";
import { chat, post, readStream, useSimulator, userMessage } from "./simulator-fixture.ts";

const simulator = useSimulator();
const asked = { stream_options: { include_usage: true } };

describe("usage", () => {
  test("sim-usage-twice: the same chunk again; sim-usage-late: behind two empty chunks after the finish", async () => {
    const normal = (await readStream(simulator.current, "m", asked)).chunks;
    const twice = (await readStream(simulator.current, "m+sim-usage-twice", asked)).chunks;
    expect(twice.slice(-2).map(({ usage }: any) => usage)).toEqual([normal.at(-1).usage, normal.at(-1).usage]);
    const late = (await readStream(simulator.current, "m+sim-usage-late", asked)).chunks;
    expect(late).toHaveLength(normal.length + 2);
    expect(late.at(-4).choices[0].finish_reason).toBe("stop");
    expect(late.slice(-3)).toMatchObject([
      { choices: [{ delta: {}, finish_reason: null }], usage: null },
      { choices: [], usage: null },
      { choices: [], usage: normal.at(-1).usage },
    ]);
  });

  test("sim-cache-write-N stands beside the cached tokens, both inside the prompt", async () => {
    const { usage } = await chat(simulator.current, "m+sim-prompt-tokens-10+sim-cached-7+sim-cache-write-9");
    expect(usage.prompt_tokens_details).toEqual({ cached_tokens: 7, cache_write_tokens: 3, audio_tokens: 0 });
    expect((await chat(simulator.current, "m")).usage.prompt_tokens_details).not.toHaveProperty("cache_write_tokens");
  });
});

test("sim-interleaved-tools: parallel calls take turns, each index whole in the end", async () => {
  const tool = (name: string) => ({ type: "function", function: { name, parameters: { properties: { place: { type: "string" } } } } });
  const more = { tools: [tool("look_here"), tool("look_there")], messages: userMessage("look_here and look_there") };
  const whole = await chat(simulator.current, "m", more);
  const { chunks } = await readStream(simulator.current, "m+sim-interleaved-tools", more);
  const deltas = chunks.flatMap((chunk: any) => chunk.choices[0].delta.tool_calls ?? []);
  expect(deltas.slice(0, 4).map(({ index }: any) => index)).toEqual([0, 1, 0, 1]);
  for (const [at, call] of whole.choices[0].message.tool_calls.entries()) {
    const own = deltas.filter(({ index }: any) => index === at);
    expect(own.map((delta: any) => delta.function.arguments).join("")).toBe(call.function.arguments);
  }
});

test("sim-no-logprobs ignores them, sim-reject-logprobs refuses them", async () => {
  const wanted = { logprobs: true, top_logprobs: 20 };
  expect((await chat(simulator.current, "m+sim-no-logprobs", wanted)).choices[0].logprobs).toBeNull();
  const refused = await chat(simulator.current, "m+sim-reject-logprobs", wanted);
  expect(refused.error).toMatchObject({ code: "unsupported_parameter", param: "logprobs" });
  expect((await chat(simulator.current, "m+sim-reject-logprobs")).choices).toHaveLength(1);
});

test("embeddings: out of order, always floats, always full width", async () => {
  const embed = async (model: string, more = {}): Promise<any> =>
    (await post(simulator.current, "/v1/embeddings", { model, input: ["one", "two", "three"], ...more })).json();
  const normal = await embed("m");
  const odd = await embed("m+sim-unordered+sim-float-only+sim-ignore-dimensions", { encoding_format: "base64", dimensions: 8 });
  expect(odd.data).toEqual([...normal.data].reverse());
  expect((await embed("m+sim-float-only", { encoding_format: "base64", dimensions: 8 })).data[0].embedding).toHaveLength(8);
});
