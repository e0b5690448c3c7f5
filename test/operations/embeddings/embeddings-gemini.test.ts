// POST /v1/embeddings over hosts of the Gemini protocol.
import { expect, test } from "vitest";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

const embedding = (id: string, model: string) => ({
  ...{ id, type: "embedding", context_window: 8192, pricing: { mode: "per-token", input: 0.13 } },
  routes: [{ provider: "star", model }],
});
const world = chatWorld(
  [
    embedding("demo/embed", "embed"),
    embedding("demo/silent", "embed+sim-no-usage"),
    embedding("demo/wide", "embed+sim-ignore-dimensions"),
    embedding("demo/busy", "embed+sim-429"),
  ],
  { providers: [provider("star", { protocol: "gemini", base_url: "simulator:/gemini" })] },
);
const embed = async (body: object) => {
  const account = await world.account();
  return await world.gateway.request("POST", "/v1/embeddings", { key: account.key, body });
};

test("one vector an input, in input order, as wide as asked, charged by the measured tokens", async () => {
  const { status, json } = await embed({ model: "demo/embed", input: ["lighthouse", "harbour"], dimensions: 64 });
  expect(status).toBe(200);
  expect(json.data.map(({ index, embedding: vector }: any) => [index, vector.length])).toEqual([[0, 64], [1, 64]]); // prettier-ignore
  expect(json.usage).toEqual({ prompt_tokens: 5, total_tokens: 5, cost: 0.00000065 });
  const content = (text: string) => ({ model: "models/embed", content: { parts: [{ text }] }, outputDimensionality: 64 });
  expect(world.sent()).toEqual([{ requests: [content("lighthouse"), content("harbour")] }]);
});

test("base64, a host that ignores the width, and one that says no usage", async () => {
  const { json } = await embed({ model: "demo/wide", input: "harbour", dimensions: 16, encoding_format: "base64" });
  expect(Buffer.from(json.data[0].embedding, "base64")).toHaveLength(64);
  const silent = await embed({ model: "demo/silent", input: "harbour" });
  expect(await world.logOf(silent)).toMatchObject({ estimated: true });
});

test("400 request_rejected for token numbers, 503 provider_unavailable for a rate limit", async () => {
  const numbers = await embed({ model: "demo/embed", input: [[1, 2], [3]] });
  expect([numbers.status, numbers.json.error.code, numbers.json.error.param]).toEqual([400, "request_rejected", "input"]);
  const busy = await embed({ model: "demo/busy", input: "harbour" });
  expect([busy.status, busy.json.error.code]).toEqual([503, "provider_unavailable"]);
});
