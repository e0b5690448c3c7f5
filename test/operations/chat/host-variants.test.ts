// Hosts of the openai protocol that call fields otherwise, or refuse them: each gets the form that it reads, from every dialect.
import { describe, expect, test } from "vitest";
import { variantOf, variants } from "../../../src/catalog/variants.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

const providers = [
  provider("north", { variant: "openai" }),
  provider("south", { variant: "mistral" }),
  provider("west", { variant: "vllm" }),
];
const at = (name: string, host: string) =>
  language(name, [], { routes: [{ provider: host, model: "upstream-id" }], supports_reasoning: true, max_output_tokens: 8_000 });
const world = chatWorld([at("demo/openai", "north"), at("demo/mistral", "south"), at("demo/vllm", "west")], { providers });

async function sentFor(body: object): Promise<Record<string, unknown>> {
  const reply = await world.chat(await world.account(), body);
  expect(reply.status).toBe(200);
  return world.sent()[0]!;
}

describe("200, what the host gets", () => {
  test.each([
    ["demo/openai", { max_tokens: 7 }, "max_completion_tokens"],
    ["demo/openai", { max_completion_tokens: 7 }, "max_completion_tokens"],
    ["demo/openai", { max_tokens: 7, max_completion_tokens: 9 }, "max_completion_tokens"],
    ["demo/mistral", { max_tokens: 7 }, "max_tokens"],
    ["demo/mistral", { max_completion_tokens: 7 }, "max_tokens"],
    ["demo/vllm", { max_completion_tokens: 7 }, "max_tokens"],
  ])("%s with %j: the cap as %s alone", async (model, caps, name) => {
    const sent = await sentFor({ model, ...caps });
    expect(Object.fromEntries(Object.entries(sent).filter(([key]) => key.includes("tokens")))).toEqual({ [name]: 7 });
  });

  test.each([
    ["demo/openai", { reasoning: { effort: "high" } }, { reasoning_effort: "high" }],
    ["demo/openai", { reasoning: { effort: "high" }, reasoning_effort: "low" }, { reasoning_effort: "high" }],
    ["demo/openai", { reasoning: { max_tokens: 20 } }, { reasoning_effort: "low" }],
    ["demo/openai", { reasoning: { max_tokens: 50 }, reasoning_effort: "high" }, { reasoning_effort: "medium" }],
    ["demo/mistral", { reasoning: { max_tokens: 99 } }, { reasoning_effort: "high" }],
    ["demo/openai", { reasoning: { exclude: true } }, {}],
    ["demo/vllm", { reasoning: { max_tokens: 20 } }, { reasoning: { max_tokens: 20 } }],
  ])("%s with %j: no object where the host refuses it", async (model, fields, told) => {
    for (const text of ["Hello", "long ".repeat(20_000)]) {
      world.gateway.simulator.reset();
      const sent = await sentFor({ model, messages: [{ role: "user", content: text }], max_tokens: 100, ...fields });
      expect(Object.fromEntries(Object.entries(sent).filter(([key]) => key.startsWith("reasoning")))).toEqual(told);
    }
  });

  test("/v1/messages: a budget of thinking as an effort", async () => {
    const { key } = await world.account();
    const body = { model: "demo/openai", max_tokens: 4_000, messages: hello, thinking: { type: "enabled", budget_tokens: 1_024 } };
    expect((await world.gateway.request("POST", "/v1/messages", { key, body })).status).toBe(200);
    expect([world.sent()[0]!["reasoning_effort"], "reasoning" in world.sent()[0]!]).toEqual(["low", false]);
  });

  test("a long prompt's cap too, whose text is never copied", async () => {
    const messages = [{ role: "user", content: "long ".repeat(20_000) }];
    const sent = await sentFor({ model: "demo/openai", messages, max_tokens: 7 });
    expect([sent["max_completion_tokens"], "max_tokens" in sent]).toEqual([7, false]);
  });

  test("Mistral: no field that it refuses, the seed by its name; a stream's usage is billed unasked", async () => {
    const account = await world.account();
    const body = { model: "demo/mistral", messages: hello, stream: true, seed: 5, user: "ada", logit_bias: { 1: 2 }, max_tokens: 9 };
    const reply = await world.chat(account, body);
    expect(reply.status).toBe(200);
    expect(world.sent()[0]).toEqual({ model: "upstream-id", messages: hello, stream: true, random_seed: 5, max_tokens: 9 });
  });

  test("/v1/messages: the cap as the host reads it", async () => {
    const { key } = await world.account();
    const body = { model: "demo/openai", max_tokens: 7, messages: hello };
    const reply = await world.gateway.request("POST", "/v1/messages", { key, body });
    expect(reply.status).toBe(200);
    expect([world.sent()[0]!["max_completion_tokens"], "max_tokens" in world.sent()[0]!]).toEqual([7, false]);
  });
});

test("the host's name decides where the catalog names no variant; a name that only looks alike is any host", () => {
  expect(variantOf(undefined, "https://api.openai.com/v1")).toBe(variants.openai);
  expect(variantOf(undefined, "https://eu.api.mistral.ai/v1")).toBe(variants.mistral);
  expect(variantOf(undefined, "https://generativelanguage.googleapis.com/v1beta/openai")).toBe(variants.google);
  expect(variantOf(undefined, "https://notopenrouter.ai/api/v1")).toBeUndefined();
  expect(variantOf("ollama", "https://api.openai.com/v1")).toBe(variants.ollama);
});
