// Answers of the Gemini API as they are published, and what callers and the bill get of them.
import { expect, test } from "vitest";
import { geminiEmbed } from "../../../src/providers/gemini/embed.ts";
import { completionOf, openChunkTranslation } from "../../../src/providers/gemini/response.ts";
import { runCorpus } from "../corpus.ts";
import { events, json, publicModel, sse } from "../openai/chat-fixture.ts";
import { routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { answers } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import { recordings } from "./corpus-recorded.ts";
import type { Row } from "./corpus-row.ts";

const signal = new AbortController().signal;

runCorpus<Row>({
  protocol: "gemini",
  rows: [...answers, ...recordings, ...faults],
  isStream: ({ records }) => records !== undefined,
  answerOf: ({ answer, records, status = 200 }) => (records === undefined ? json(status, JSON.stringify(answer)) : events(sse(...records))),
  usageOf: ({ usage }) => {
    if (usage == null) return null;
    const [input, cacheRead, output, reasoning] = usage;
    return { input, cacheRead, output, reasoning };
  },
});

test.each([
  ["the Gemini API", { serviceTier: "priority" }, "priority"],
  ["the Gemini API in its older words", { serviceTier: "SERVICE_TIER_FLEX" }, "flex"],
  ["the Gemini API, of a request that it had no room for", { serviceTier: "standard" }, "default"],
  ["Vertex", { trafficType: "ON_DEMAND_PRIORITY" }, "priority"],
  ["Vertex, of a request that it had no room for", { trafficType: "ON_DEMAND" }, "default"],
  ["Vertex, of throughput that was bought before", { trafficType: "PROVISIONED_THROUGHPUT" }, "provisioned_throughput"],
])("the tier that was served: %s says %j", (_place, said, tier) => {
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11, ...said };
  const answer = { candidates: [{ content: { role: "model", parts: [{ text: "The sea." }] }, finishReason: "STOP" }], usageMetadata };
  expect(completionOf(answer, () => undefined)).toMatchObject({ service_tier: tier });
  expect(openChunkTranslation(() => undefined)(answer).at(-1)).toMatchObject({ service_tier: tier });
});

test("more texts than a batch takes go in several, and the tokens add up", async () => {
  const host = await startHost((_request, response, body) => {
    const { requests } = JSON.parse(body);
    const embeddings = requests.map(({ content }: any) => ({ values: [Number(content.parts[0].text), 1] }));
    const usageMetadata = { promptTokenCount: requests.length, promptTokenDetails: [{ modality: "TEXT", tokenCount: requests.length }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ embeddings, usageMetadata }));
  });
  const texts = Array.from({ length: 150 }, (_, index) => String(index));
  const route = routeTo(host.url, { protocol: "gemini" });
  const call = { route, signal, requestId: "req_test", publicModel, inputs: 150, dimensions: null, base64: false };
  const whole = await geminiEmbed(useUpstream())({ ...call, body: JSON.stringify({ input: texts }) });
  expect(host.requests.map(({ body }) => JSON.parse(body).requests.length)).toEqual([100, 50]);
  expect(whole.vectors.map(([first]) => first)).toEqual(texts.map(Number));
  expect(whole.usage).toMatchObject({ input: 150, output: 0 });
});
