// Answers of Vertex as they are published, and what callers and the bill get of them.
import { expect, test } from "vitest";
import { vertexEmbed } from "../../../src/providers/vertex/vertex.ts";
import { runCorpus } from "../corpus.ts";
import { events, json, publicModel, sse } from "../openai/chat-fixture.ts";
import { type Answer, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { answers } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { VertexRow } from "./corpus-row.ts";

const signal = new AbortController().signal;
const project = "/v1/projects/p/locations/us-central1";

async function routeOf(answer: Answer, model: string) {
  const host = await startHost(answer);
  return { host, route: { ...routeTo(host.url + project, { protocol: "vertex" }), model } };
}

runCorpus<VertexRow>({
  protocol: "vertex",
  path: project,
  rows: [...answers, ...faults],
  modelOf: ({ publisher }) => (publisher === "google" ? "gemini-2.5-flash" : "claude-sonnet-4-5"),
  isStream: ({ records }) => records !== undefined,
  answerOf({ answer, records, status = 200, publisher }) {
    if (records === undefined) return json(status, JSON.stringify(answer));
    if (publisher === "google") return events(sse(...records));
    return events(records.map((record) => `event: ${(record as any).type}\ndata: ${JSON.stringify(record)}\n\n`).join(""));
  },
  usageOf: ({ usage }) => {
    if (usage == null) return null; // estimated
    const [input, cacheRead, cacheWrite, output] = usage;
    return { input, cacheRead, cacheWrite, output };
  },
});

// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api
test.each([
  ["counted", { token_count: 4, truncated: false }, { input: 8, output: 0 }],
  ["not counted", undefined, null],
])("embeddings whose tokens are %s", async (_name, statistics, usage) => {
  const predictions = [1, 2].map((at) => ({ embeddings: { values: [at, 0.5], ...(statistics === undefined ? {} : { statistics }) } }));
  const { host, route } = await routeOf(
    json(200, JSON.stringify({ predictions, metadata: { billableCharacterCount: 9 } })),
    "text-embedding-005",
  );
  const call = { route, signal, requestId: "req_test", publicModel, inputs: 2, dimensions: 2, base64: false };
  const whole = await vertexEmbed(useUpstream())({ ...call, body: JSON.stringify({ input: ["low", "high"] }) });
  expect(whole.vectors.map(([first]) => first)).toEqual([1, 2]);
  if (usage === null) expect(whole.usage).toBeNull();
  else expect(whole.usage).toMatchObject(usage);
  expect(host.requests.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
    [
      `${project}/publishers/google/models/text-embedding-005:predict`,
      { instances: [{ content: "low" }, { content: "high" }], parameters: { outputDimensionality: 2 } },
    ],
  ]);
});

// google-genai 3.6.1, models.py and _transformers.py: t_is_vertex_embed_content_model
test.each([
  ["counted", { promptTokenCount: 3, totalTokenCount: 3, promptTokensDetails: [{ modality: "TEXT", tokenCount: 3 }] }, { input: 6 }],
  ["not counted", undefined, null],
])("embeddings of a newer Gemini model, whose tokens are %s", async (_name, usageMetadata, usage) => {
  const { host, route } = await routeOf((_request, response, body) => {
    const [{ text }] = JSON.parse(body).content.parts;
    const answer = JSON.stringify({ embedding: { values: [text === "low" ? 1 : 2, 0.5] }, usageMetadata });
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  }, "gemini-embedding-2");
  const call = { route, signal, requestId: "req_test", publicModel, inputs: 2, dimensions: 2, base64: false };
  const whole = await vertexEmbed(useUpstream())({ ...call, body: JSON.stringify({ input: ["low", "high"] }) });
  expect(whole.vectors.map(([first]) => first)).toEqual([1, 2]);
  if (usage === null) expect(whole.usage).toBeNull();
  else expect(whole.usage).toMatchObject(usage);
  expect(host.requests.map(({ url }) => url)).toEqual(Array(2).fill(`${project}/publishers/google/models/gemini-embedding-2:embedContent`));
  expect(host.requests.map(({ body }) => JSON.parse(body)).find(({ content }) => content.parts[0].text === "low")).toEqual({
    content: { parts: [{ text: "low" }] },
    embedContentConfig: { outputDimensionality: 2 },
  });
});
