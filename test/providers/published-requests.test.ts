// What we send is what vendors publish: each request of one of our dialects reaches the host in the form that its documentation or its clients'
// tests show, and that its own description allows.
import { expect, test } from "vitest";
import { openAdapters } from "../../src/providers/adapters.ts";
import { requestFaults } from "./descriptions/described.ts";
import { json, publicModel } from "./openai/chat-fixture.ts";
import { published, type Published } from "./published-requests.ts";
import { routeTo, startHost, useUpstream } from "./upstream-fixture.ts";

const prefixes: Partial<Record<Published["protocol"], string>> = {
  "azure-openai": "/azure",
  vertex: "/v1/projects/p/locations/us-central1",
};
const signal = new AbortController().signal;

test.each(published)("$protocol: $name ($source)", async ({ protocol, model = "m", thinking = "budget" as const, asks, sent, path }) => {
  const host = await startHost(json(400, '{"message":"no"}'));
  const route = { ...routeTo(host.url + (prefixes[protocol] ?? ""), { protocol }), model, thinking };
  const call = { route, signal, requestId: "req_test", publicModel };
  const { chat, messages, embed, rerank } = openAdapters(useUpstream(), { fetchReference: unused, fetchMade: unused });
  const chatCall = (body: object) => {
    const stream = "stream" in body && body.stream === true;
    return { ...call, body: JSON.stringify({ model, ...body }), stream, outputMax: 4_000 };
  };
  const asking =
    "chat" in asks
      ? chat[protocol]!(chatCall(asks.chat))
      : "messages" in asks
        ? messages[protocol]!({ ...chatCall(asks.messages), betas: null, serverTools: [], promptTokens: () => Promise.resolve(7) })
        : "embed" in asks
          ? embed[protocol]!({
              ...{ ...call, inputs: asks.embed.length, dimensions: asks.dimensions ?? null, base64: false },
              body: JSON.stringify({ model, input: asks.embed, ...("dimensions" in asks ? { dimensions: asks.dimensions } : {}) }),
            })
          : rerank[protocol]!({ ...call, body: JSON.stringify({ model, ...asks.rerank }), documents: 2, topN: 1 });
  await expect(asking).rejects.toMatchObject({ fault: "rejected" });
  const [request] = host.requests;
  expect(JSON.parse(request!.body)).toMatchObject(sent);
  if (path !== undefined) expect(request!.url).toBe(`${prefixes[protocol] ?? ""}${path}`);
  expect(requestFaults({ path: request!.url, json: JSON.parse(request!.body) }) ?? []).toEqual([]);
});

function unused(): never {
  throw new Error("no files are fetched here");
}

test("every protocol has requests with tools, pictures, files, structured output, reasoning, caching and embeddings, as far as its host takes them", () => {
  const of = (protocol: string) => published.filter((row) => row.protocol === protocol);
  for (const protocol of new Set(published.map((row) => row.protocol))) expect(of(protocol).length).toBeGreaterThanOrEqual(8);
  for (const { source } of published) expect(source).toMatch(/^https:\/\/\S+|^ai-sdk: packages\/\S+/);
  expect(new Set(published.map(({ protocol, name }) => `${protocol} ${name}`)).size).toBe(published.length);
});
