// OpenAI's own description of its API as a judge: what a gateway answers has to be valid against the schemas of openai/openai-openapi.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Outcome, Suite, Target } from "./suite.ts";

interface Call {
  path: string;
  /** Absent: a GET. */
  body?: Record<string, unknown>;
  /** Of the document. */
  schema: string;
  status?: number;
}

const messages = [{ role: "user", content: "Tell me about the sea." }];
const tools = [
  { type: "function", function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } } },
];
const responseTools = [{ type: "function", name: "get_weather", parameters: { type: "object", properties: {} }, strict: false }];
const ask = { role: "user", content: "Call get_weather, please." };
const json_schema = {
  name: "sea",
  strict: true,
  schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false },
};

function calls({ model, embedder }: Target): Record<string, Call> {
  const chat = (more: object = {}) => ({
    path: "chat/completions",
    body: { model, messages, ...more },
    schema: "CreateChatCompletionResponse",
  });
  const streamed = (more: object = {}) => ({ ...chat({ stream: true, ...more }), schema: "CreateChatCompletionStreamResponse" });
  const respond = (more: object = {}) => ({ path: "responses", body: { model, input: "Hello!", ...more }, schema: "Response" });
  const events = (more: object = {}) => ({ ...respond({ stream: true, ...more }), schema: "ResponseStreamEvent" });
  return {
    models: { path: "models", schema: "ListModelsResponse" },
    "a model": { path: `models/${encodeURIComponent(model)}`, schema: "Model" },
    chat: chat(),
    "chat, two choices": chat({ n: 2 }),
    "chat, tools": chat({ messages: [ask], tools }),
    "chat, log probabilities": chat({ logprobs: true, top_logprobs: 2 }),
    "chat, a schema": chat({ response_format: { type: "json_schema", json_schema } }),
    "chat, streamed": streamed(),
    "chat, streamed with usage": streamed({ stream_options: { include_usage: true } }),
    "chat, streamed tools": streamed({ messages: [ask], tools }),
    "chat, an error": { ...chat({ model: "none/such" }), schema: "ErrorResponse", status: 404 },
    completions: { path: "completions", body: { model, prompt: "Hello!" }, schema: "CreateCompletionResponse" },
    "completions, streamed": { path: "completions", body: { model, prompt: "Hello!", stream: true }, schema: "CreateCompletionResponse" },
    responses: respond(),
    "responses, tools": respond({ input: [ask], tools: responseTools }),
    "responses, log probabilities": respond({ include: ["message.output_text.logprobs"], top_logprobs: 2 }),
    "responses, streamed": events(),
    "responses, streamed tools": events({ input: [ask], tools: responseTools }),
    "responses, an error": { ...respond({ model: "none/such" }), schema: "ErrorResponse", status: 404 },
    "responses, compacted": { path: "responses/compact", body: { model, input: [ask] }, schema: "CompactResource" },
    "responses, counted": { path: "responses/input_tokens", body: { model, input: "Hello!" }, schema: "TokenCountsResource" },
    embeddings: { path: "embeddings", body: { model: embedder, input: ["sea", "land"] }, schema: "CreateEmbeddingResponse" },
    files: { path: "files", schema: "ListFilesResponse" },
    batches: { path: "batches", schema: "ListBatchesResponse" },
    "an unknown route": { path: "nothing/such", schema: "ErrorResponse", status: 404 },
  };
}

/** The documents of an answer: one, or one an event. */
async function answered({ base, key }: Target, { path, body, status = 200 }: Call): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const reply = await fetch(`${base}/v1/${path}`, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (reply.status !== status) throw new Error(`status ${reply.status}: ${text.slice(0, 200)}`);
  if (body?.["stream"] !== true) return [JSON.parse(text)];
  const data = [...text.matchAll(/^data: (.+)$/gm)].map(([, record]) => record!);
  return data.filter((record) => record !== "[DONE]").map((record) => JSON.parse(record) as unknown);
}

/** The document is of OpenAPI 3.1, and here and there still says null as 3.0 did. */
function current(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("nullable" in value) || typeof value.nullable !== "boolean") return value;
  const { nullable, ...schema } = value;
  return nullable ? { anyOf: [schema, { type: "null" }] } : schema;
}

const running =
  "While a response runs its usage is null, as OpenAI itself and its SDKs' types have it; the description knows no null there.";
const empty = "An empty list has no first and no last id: null, as in all lists here; the description knows no null there.";

export const openaiDocument: Suite = {
  name: "OpenAI's description of its API",
  repository: "https://github.com/openai/openai-openapi",
  commit: "f85dbe223d40e1a31cba812ab2d755c7e98a92a3",
  async run(folder, target): Promise<Outcome[]> {
    const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, logger: false }));
    const { components } = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"), current) as { components: object };
    ajv.addSchema({ components }, "openai");
    const outcomes: Outcome[] = [];
    for (const [name, call] of Object.entries(calls(target))) {
      const valid = ajv.compile({ $ref: `openai#/components/schemas/${call.schema}` });
      const faults = new Set<string>();
      try {
        for (const answer of await answered(target, call))
          if (!valid(answer)) for (const { instancePath, message } of valid.errors!) faults.add(`${instancePath} ${message}`);
      } catch (error) {
        faults.add((error as Error).message);
      }
      outcomes.push({ name, faults: [...faults] });
    }
    return outcomes;
  },
  reasons: {
    "completions, streamed":
      "Until the last record finish_reason is null, as OpenAI sends it; the description has one schema for whole and streamed, without null.",
    "responses, streamed": running,
    "responses, streamed tools": running,
    files: empty,
    batches: empty,
  },
};
