// What the simulator answers is what the vendors describe: whole answers, every record of their streams and embeddings. Bedrock has a file of
// its own (bedrock.test.ts).
import { describe, expect, test } from "vitest";
import { describedFaults, type Vendor } from "../providers/descriptions/described.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const text = "Tell me about the sea.";
const call = "Call get_weather, please.";
const schema = { type: "object", properties: { place: { type: "string" } } };
const stars = { ...schema, properties: { stars: { type: "integer" } }, required: ["stars"], additionalProperties: false };
const models = { plain: "m", thinking: "reason+sim-reasoning-tokens-7", cached: "m+sim-prompt-tokens-1000+sim-cached-700", filtered: "m+sim-finish-filtered", cut: "m+sim-tokens-900" }; // prettier-ignore
type Kind = keyof typeof models | "tools" | "form";
const kinds: Kind[] = ["plain", "thinking", "cached", "filtered", "cut", "tools", "form"];

interface Column {
  vendor: Vendor;
  whole: string;
  record: string;
  ask(kind: Kind, model: string, stream: boolean): { path: string; body: object };
  headers?: () => Promise<Record<string, string>>;
  /** Of the answers, what the vendor's description lacks and hosts send anyway. */
  besides?: RegExp;
}

const modelOf = (kind: Kind) => (kind in models ? models[kind as keyof typeof models] : models.plain);
const capOf = (kind: Kind) => (kind === "cut" ? 20 : 2_000);

function chatBody(kind: Kind, model: string, stream: boolean): object {
  return {
    ...{ model, max_tokens: capOf(kind), messages: [{ role: "user", content: kind === "tools" ? call : text }] },
    ...(kind === "tools" && { tools: [{ type: "function", function: { name: "get_weather", parameters: schema } }] }),
    ...(kind === "form" && { response_format: { type: "json_schema", json_schema: { name: "film", schema: stars } } }),
    ...(stream && { stream, stream_options: { include_usage: true } }),
  };
}

function messageBody(kind: Kind, stream: boolean): object {
  return {
    ...{ max_tokens: capOf(kind), messages: [{ role: "user", content: kind === "tools" ? call : text }] },
    ...(kind === "tools" && { tools: [{ name: "get_weather", input_schema: schema }] }),
    ...(kind === "thinking" && { thinking: { type: "enabled", budget_tokens: 1_024 } }),
    ...(kind === "form" && { output_config: { format: { type: "json_schema", schema: stars } } }),
    ...(stream && { stream }),
  };
}

function contentBody(kind: Kind): object {
  return {
    contents: [{ role: "user", parts: [{ text: kind === "tools" ? call : text }] }],
    ...(kind === "tools" && { tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: schema }] }] }),
    generationConfig: {
      maxOutputTokens: capOf(kind),
      ...(kind === "thinking" && { thinkingConfig: { thinkingBudget: 500, includeThoughts: true } }),
      ...(kind === "form" && { responseMimeType: "application/json", responseJsonSchema: stars }),
    },
  };
}

const content = (base: string) => (kind: Kind, model: string, stream: boolean) => ({
  path: `${base}/models/${encodeURIComponent(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: contentBody(kind),
});

async function machineToken(): Promise<Record<string, string>> {
  const path = "/vertex/metadata/computeMetadata/v1/instance/service-accounts/default/token";
  const reply = await fetch(simulator.current.url + path, { headers: { "metadata-flavor": "Google" } });
  return { authorization: `Bearer ${((await reply.json()) as { access_token: string }).access_token}` };
}

const project = "/vertex/v1/projects/sim-project/locations/global/publishers";
const chatAt = (path: string) => (kind: Kind, model: string, stream: boolean) => ({ path, body: chatBody(kind, model, stream) });
const columns: Record<string, Column> = {
  openai: { vendor: "openai", whole: "ChatResponse", record: "ChatChunk", ask: chatAt("/openai/v1/chat/completions"), besides: /has no member "reasoning_content"/ }, // prettier-ignore
  "azure-openai": {
    ...{ vendor: "openai", whole: "ChatResponse", record: "ChatChunk", ask: chatAt("/azure/openai/v1/chat/completions") },
    headers: () => Promise.resolve({ "api-key": "any" }),
    // @azure/openai 2.0.0, types: content filters; the record of the prompt's has no object.
    besides:
      /has no member "(?:reasoning_content|prompt_filter_results|content_filter_results|content_filter_offsets)"|ChatChunk\.object: /,
  },
  anthropic: {
    ...{ vendor: "anthropic", whole: "Message", record: "MessageEvent" },
    ask: (kind, model, stream) => ({ path: "/anthropic/v1/messages", body: { model, ...messageBody(kind, stream) } }),
    headers: () => Promise.resolve({ "anthropic-version": "2023-06-01" }),
  },
  gemini: { vendor: "gemini", whole: "GenerateContentResponse", record: "GenerateContentResponse", ask: content("/gemini/v1beta") },
  vertex: { vendor: "vertex", whole: "GenerateContentResponse", record: "GenerateContentResponse", ask: content(`${project}/google`), headers: machineToken }, // prettier-ignore
  "vertex, Claude": {
    ...{ vendor: "anthropic", whole: "Message", record: "MessageEvent", headers: machineToken },
    ask: (kind, model, stream) => ({
      path: `${project}/anthropic/models/${encodeURIComponent(model)}:${stream ? "streamRawPredict" : "rawPredict"}`,
      body: { anthropic_version: "vertex-2023-10-16", ...messageBody(kind, stream) },
    }),
  },
  cohere: {
    ...{ vendor: "cohere", whole: "ChatResponse", record: "ChatEvent" },
    // https://docs.cohere.com/v2/docs/streaming, message-start; ERROR_TOXIC is v1's reason, which the adapter reads anyway.
    besides: /ChatEvent\.delta\.message: has no member "(?:content|tool_plan|tool_calls|citations)"|"ERROR_TOXIC" is none of/,
    ask(kind, model, stream) {
      const { stream_options: _none, response_format, ...body } = chatBody(kind, model, stream) as Record<string, unknown>;
      return { path: "/cohere/v2/chat", body: { ...body, ...(response_format !== undefined && { response_format: { type: "json_object", json_schema: stars } }) } }; // prettier-ignore
    },
  },
};

async function answered(path: string, body: object, headers: Record<string, string>): Promise<string> {
  const sent = { "content-type": "application/json", ...headers };
  const reply = await fetch(simulator.current.url + path, { method: "POST", body: JSON.stringify(body), headers: sent });
  const said = await reply.text();
  expect(reply.status, said).toBe(200);
  return said;
}

describe.each(Object.entries(columns))("%s", (_name, { vendor, whole, record, ask, headers, besides }) => {
  test("whole answers and records of streams have the form of the vendor's description", async () => {
    const faults: string[] = [];
    let records = 0;
    for (const kind of kinds) {
      const more = (await headers?.()) ?? {};
      const one = ask(kind, modelOf(kind), false);
      faults.push(...describedFaults(vendor, whole, JSON.parse(await answered(one.path, one.body, more))));
      const other = ask(kind, modelOf(kind), true);
      for (const [, data] of (await answered(other.path, other.body, more)).matchAll(/^data: (.*)$/gm)) {
        if (data === "[DONE]" || data === '{"type":"ping"}' || data === '{"type": "ping"}') continue;
        records += 1;
        faults.push(...describedFaults(vendor, record, JSON.parse(data!)));
      }
    }
    expect(records).toBeGreaterThan(kinds.length);
    expect([...new Set(faults)].filter((fault) => besides?.test(fault) !== true)).toEqual([]);
  });
});

test("what Azure's filter says has the form of Azure's description", async () => {
  const ask = chatAt("/azure/openai/v1/chat/completions")("plain", modelOf("plain"), true);
  const said = await answered(ask.path, ask.body, { "api-key": "any" });
  const found = [...said.matchAll(/^data: (\{.*)$/gm)].flatMap(([, data]) => JSON.parse(data!).prompt_filter_results ?? []);
  expect(found.length).toBeGreaterThan(0);
  expect(found.flatMap((one) => describedFaults("azure", "FilterOfPrompt", one))).toEqual([]);
});

test.each<[Vendor, string, string, object]>([
  ["openai", "EmbeddingResponse", "/openai/v1/embeddings", { model: "embed", input: ["low", "high"], encoding_format: "float" }],
  ["gemini", "BatchEmbedContentsResponse", "/gemini/v1beta/models/embed:batchEmbedContents", { requests: [{ model: "models/embed", content: { parts: [{ text: "low" }] } }] }], // prettier-ignore
  ["vertex", "PredictResponse", `${project}/google/models/text-embedding-005:predict`, { instances: [{ content: "low" }] }],
  [
    "cohere",
    "EmbedResponse",
    "/cohere/v2/embed",
    { model: "embed", texts: ["low"], input_type: "search_query", embedding_types: ["float"] },
  ],
  ["cohere", "RerankResponse", "/cohere/v2/rerank", { model: "rank", query: "sea", documents: ["low", "high"] }],
])("%s: %s", async (vendor, root, path, body) => {
  const headers = vendor === "vertex" ? await machineToken() : {};
  expect(describedFaults(vendor, root, JSON.parse(await answered(path, body, headers)))).toEqual([]);
});
