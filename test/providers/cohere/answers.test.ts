// Answers of Cohere's v2 as they are published, and what callers and the bill get of them.
import { expect, test } from "vitest";
import { cohereEmbed, cohereRerank } from "../../../src/providers/cohere/texts.ts";
import { runCorpus } from "../corpus.ts";
import { events, json, publicModel } from "../openai/chat-fixture.ts";
import { routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { answers } from "./corpus.ts";
import { faults } from "./corpus-faults.ts";
import type { Row } from "./corpus-row.ts";

const signal = new AbortController().signal;
const named = (list: readonly any[]) => list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

runCorpus<Row>({
  protocol: "cohere",
  rows: [...answers, ...faults],
  isStream: ({ events: list }) => list !== undefined,
  answerOf: ({ answer, events: list, status = 200 }) => (list === undefined ? json(status, JSON.stringify(answer)) : events(named(list))),
  usageOf: ({ usage }) => (usage == null ? null : { input: usage[0], output: usage[1], reasoning: 0 }),
});

test("more texts than a batch takes go in several, and the billed tokens add up (ai-sdk: cohere-embedding.json)", async () => {
  const host = await startHost((_request, response, body) => {
    const { texts } = JSON.parse(body);
    const meta = { api_version: { version: "2" }, billed_units: { input_tokens: texts.length } };
    const embeddings = { float: texts.map((text: string) => [Number(text), 1]) };
    const answer = { id: "f5aa3e7b", texts, embeddings, meta, response_type: "embeddings_by_type" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const texts = Array.from({ length: 100 }, (_, index) => String(index));
  const route = routeTo(host.url, { protocol: "cohere" });
  const call = { route, signal, requestId: "req_test", publicModel, inputs: 100, dimensions: null, base64: false };
  const whole = await cohereEmbed(useUpstream())({ ...call, body: JSON.stringify({ input: texts, input_type: "search_query" }) });
  expect(host.requests.map(({ url, body }) => [url, JSON.parse(body).texts.length])).toEqual([["/v2/embed", 96], ["/v2/embed", 4]]); // prettier-ignore
  expect(JSON.parse(host.requests[0]!.body)).toMatchObject({
    model: "upstream-model",
    input_type: "search_query",
    embedding_types: ["float"],
  });
  expect(whole.vectors.map(([first]) => first)).toEqual(texts.map(Number));
  expect(whole.usage).toMatchObject({ input: 100, output: 0 });
});

test("documents go as plain texts and come back where they are asked for; searches are no tokens", async () => {
  const answer = {
    id: "07734bd2",
    results: [
      { index: 1, relevance_score: 0.9 },
      { index: 0, relevance_score: 0.1 },
    ],
    meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
  };
  const host = await startHost(json(200, JSON.stringify(answer)));
  const route = routeTo(host.url, { protocol: "cohere" });
  const body = JSON.stringify({ query: "sea", documents: ["one", { text: "two" }], return_documents: true, top_n: 1 });
  const ranked = await cohereRerank(useUpstream())({ route, signal, requestId: "req_test", publicModel, documents: 2, topN: 1, body });
  expect(host.requests).toMatchObject([{ url: "/v2/rerank" }]);
  expect(JSON.parse(host.requests[0]!.body)).toEqual({ model: "upstream-model", query: "sea", documents: ["one", "two"], top_n: 1 });
  expect(ranked.ranking.results).toEqual([{ index: 1, relevance_score: 0.9, document: { text: "two" } }]);
  expect(ranked.usage).toBeNull();
});
