// Embeddings by InvokeModel, each vendor's body as it was recorded (pydantic-ai, tests/models/cassettes: TestBedrock.test_*.yaml), with our
// own words and numbers.
import { expect, test } from "vitest";
import { bedrockEmbed } from "../../../src/providers/bedrock/invoke.ts";
import { publicModel } from "../openai/chat-fixture.ts";
import { routeTo, startHost, useUpstream } from "../upstream-fixture.ts";

const vector = [0.5, -0.5];

interface Row {
  model: string;
  sent: object[];
  answer(asked: any): object;
  usage: object;
}

test.each<Row>([
  {
    model: "amazon.titan-embed-text-v2:0",
    sent: [{ inputText: "low", dimensions: 2 }, { inputText: "high", dimensions: 2 }], // prettier-ignore
    answer: () => ({ embedding: vector, embeddingsByType: { float: vector }, inputTextTokenCount: 5 }),
    usage: { input: 10 },
  },
  {
    model: "us.cohere.embed-v4:0",
    sent: [{ texts: ["low", "high"], input_type: "search_document", embedding_types: ["float"], output_dimension: 2 }],
    answer: ({ texts }) => ({ id: "16d6", texts, embeddings: { float: [vector, vector] }, response_type: "embeddings_by_type" }),
    usage: { input: 5 },
  },
  {
    model: "cohere.embed-english-v3",
    sent: [{ texts: ["low", "high"], input_type: "search_document", embedding_types: ["float"], output_dimension: 2 }],
    answer: ({ texts }) => ({ id: "16d6", texts, embeddings: [vector, vector], response_type: "embeddings_floats" }),
    usage: { input: 5 },
  },
  {
    model: "amazon.nova-2-multimodal-embeddings-v1:0",
    sent: ["low", "high"].map((value) => ({
      taskType: "SINGLE_EMBEDDING",
      singleEmbeddingParams: { embeddingPurpose: "GENERIC_INDEX", embeddingDimension: 2, text: { truncationMode: "NONE", value } },
    })),
    answer: () => ({ embeddings: [{ embeddingType: "TEXT", embedding: vector }] }),
    usage: { input: 10 },
  },
])("$model", async ({ model, sent, answer, usage }) => {
  const host = await startHost((_request, response, body) => {
    response.writeHead(200, { "content-type": "application/json", "x-amzn-bedrock-input-token-count": "5" });
    response.end(JSON.stringify(answer(JSON.parse(body))));
  });
  const route = { ...routeTo(host.url, { protocol: "bedrock" }), model };
  const call = { route, signal: new AbortController().signal, requestId: "req_test", publicModel, inputs: 2, dimensions: 2, base64: false };
  const whole = await bedrockEmbed(useUpstream())({ ...call, body: JSON.stringify({ input: ["low", "high"] }) });
  expect(whole.vectors).toHaveLength(2);
  expect(whole.usage).toMatchObject(usage);
  expect(host.requests.map(({ body }) => JSON.parse(body))).toEqual(expect.arrayContaining(sent));
  expect(host.requests).toHaveLength(sent.length);
});
