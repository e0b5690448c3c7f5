// The clients of OpenAI's dialect that JavaScript programs use.
import { setTimeout } from "node:timers/promises";
import { ChatOpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { embed, generateText, isStepCount, Output, streamText, tool } from "ai";
import type { EmbeddingModel, LanguageModel } from "ai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import type OpenAI from "openai";
import { z } from "zod";
import { type ClientOptions, Svc } from "../../../generated/sdk/index.js";
import { type At, type Client, embedder, model, question, toolQuestion, unserved } from "./client.ts";
import { versionOf } from "./versions.ts";

export const shape = z.object({ title: z.string(), stars: z.number().int() });
export const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
export const messages = [{ role: "user" as const, content: question }];
export const costOfUsage = (usage: unknown) => (usage as { cost?: number } | null | undefined)?.cost;
export const codeOf = (error: unknown) => (error as { code?: unknown }).code;
export const refusal = (call: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(call).then(() => undefined, (error: unknown) => error); // prettier-ignore

/** What the client's own type of errors has of a refusal. */
export async function refusedBy(call: PromiseLike<unknown>, codeIn = codeOf): Promise<{ type: string; status: number; code: string }> {
  const error = (await refusal(call)) as Error & { status: number };
  return { type: error.constructor.name, status: error.status, code: codeIn(error) as string };
}

export async function idsOf(list: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

/** Of OpenAI's SDKs, and of Anthropic's, which are made by the same generator. */
export const typesOfErrors = { 401: "AuthenticationError", 402: "APIError", 404: "NotFoundError", 429: "RateLimitError" };

export const openaiTools: OpenAI.Chat.ChatCompletionTool[] = [
  { type: "function", function: { name: "get_weather", description: "Tells the weather", parameters: city } },
];

/** Statuses of a batch. */
const ends = ["completed", "failed", "expired", "cancelled"];

const chatCompletions: Client = {
  name: "OpenAI SDK, chat",
  version: versionOf("openai"),
  chat: async ({ customer }) => {
    const { choices, usage } = await customer.openai().chat.completions.create({ model, messages });
    return { text: choices[0]!.message.content!, input: usage?.prompt_tokens, output: usage?.completion_tokens, cost: costOfUsage(usage) };
  },
  stream: async ({ customer }) => {
    const stream = await customer
      .openai()
      .chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } });
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    return { text, input: usage?.prompt_tokens, output: usage?.completion_tokens, cost: costOfUsage(usage) };
  },
  tools: async ({ customer }) => {
    const request = { model, messages: [{ role: "user" as const, content: toolQuestion }], tools: openaiTools };
    const call = (await customer.openai().chat.completions.create(request)).choices[0]!.message.tool_calls?.[0];
    return call?.type === "function" ? call.function.name : undefined;
  },
  structured: async ({ customer }) => {
    const request = { model, messages, response_format: zodResponseFormat(shape, "sea") };
    return (await customer.openai().chat.completions.parse(request)).choices[0]!.message.parsed;
  },
  embeddings: async ({ customer }) =>
    (await customer.openai().embeddings.create({ model: embedder, input: "sea" })).data[0]?.embedding.length,
  errors: async ({ customer }) => codeOf(await refusal(customer.openai().chat.completions.create({ model: unserved, messages }))),
  typesOfErrors,
  refused: ({ customer }, id) =>
    refusedBy(customer.openai({ apiKey: customer.account.key, maxRetries: 0 }).chat.completions.create({ model: id, messages })),
  models: ({ customer }) => idsOf(customer.openai().models.list()),
  batch: async ({ customer }, line) => {
    const { files, batches } = customer.openai();
    const { id } = await files.create({ file: new File([line], "requests.jsonl"), purpose: "batch" });
    let batch = await batches.create({ input_file_id: id, endpoint: "/v1/chat/completions", completion_window: "24h" });
    while (!ends.includes(batch.status)) {
      await setTimeout(100);
      batch = await batches.retrieve(batch.id);
    }
    return (await files.content(batch.output_file_id!)).text();
  },
};

const responses: Client = {
  name: "OpenAI SDK, Responses",
  version: versionOf("openai"),
  chat: async ({ customer }) => {
    const { output_text, usage } = await customer.openai().responses.create({ model, input: question, store: false });
    return { text: output_text, input: usage?.input_tokens, output: usage?.output_tokens, cost: costOfUsage(usage) };
  },
  stream: async ({ customer }) => {
    const final = await customer.openai().responses.stream({ model, input: question, store: false }).finalResponse();
    const { output_text, usage } = final;
    return { text: output_text, input: usage?.input_tokens, output: usage?.output_tokens, cost: costOfUsage(usage) };
  },
  tools: async ({ customer }) => {
    const tools = [{ type: "function" as const, name: "get_weather", parameters: city, strict: false }];
    const { output } = await customer.openai().responses.create({ model, input: toolQuestion, store: false, tools });
    return output.find((item) => item.type === "function_call")?.name;
  },
  structured: async ({ customer }) => {
    const text = { format: zodTextFormat(shape, "sea") };
    return (await customer.openai().responses.parse({ model, input: question, store: false, text })).output_parsed;
  },
  errors: async ({ customer }) => codeOf(await refusal(customer.openai().responses.create({ model: unserved, input: question }))),
};

/** What the AI SDK does is the same for each of its providers. */
export function aiSdk(
  name: string,
  provider: string,
  of: (at: At, model: string) => LanguageModel,
  embeddings?: (at: At) => EmbeddingModel,
): Client {
  const shown = (text: string, usage: Awaited<ReturnType<typeof generateText>>["usage"]) => ({
    text,
    input: usage.inputTokens,
    output: usage.outputTokens,
    cost: costOfUsage(usage.raw),
  });
  const get_weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => "sunny" });
  return {
    name,
    version: `${versionOf("ai")} · ${versionOf(provider)}`,
    chat: async (at) => {
      const { text, usage } = await generateText({ model: of(at, model), prompt: question });
      return shown(text, usage);
    },
    stream: async (at) => {
      const stream = streamText({ model: of(at, model), prompt: question });
      return shown(await stream.text, await stream.usage);
    },
    tools: async (at) => {
      const { steps } = await generateText({
        model: of(at, model),
        prompt: toolQuestion,
        tools: { get_weather },
        stopWhen: isStepCount(2),
      });
      return steps[0]?.toolCalls[0]?.toolName;
    },
    structured: async (at) =>
      (await generateText({ model: of(at, model), prompt: question, output: Output.object({ schema: shape }) })).output,
    ...(embeddings === undefined
      ? {}
      : { embeddings: async (at: At) => (await embed({ model: embeddings(at), value: "sea" })).embedding.length }),
    errors: async (at) => {
      const error = await refusal(generateText({ model: of(at, unserved), prompt: question, maxRetries: 0 }));
      const body = JSON.parse((error as { responseBody?: string }).responseBody ?? "{}") as {
        error?: { code?: string; details?: { error_code?: string } };
      };
      return body.error?.code ?? body.error?.details?.error_code;
    },
  };
}

const langchain: Client = {
  name: "LangChain, ChatOpenAI",
  version: versionOf("@langchain/openai"),
  chat: async ({ customer }) => {
    const { text, usage_metadata: usage } = await customer.langchain(model).invoke(question);
    return { text, input: usage?.input_tokens, output: usage?.output_tokens };
  },
  stream: async ({ customer }) => {
    let whole;
    for await (const chunk of await customer.langchain(model).stream(question)) whole = whole === undefined ? chunk : whole.concat(chunk);
    return { text: whole!.text, input: whole!.usage_metadata?.input_tokens, output: whole!.usage_metadata?.output_tokens };
  },
  tools: async ({ customer }) => (await customer.langchain(model).bindTools(openaiTools).invoke(toolQuestion)).tool_calls?.[0]?.name,
  structured: ({ customer }) =>
    customer.langchain(model).withStructuredOutput(shape, { method: "jsonSchema", name: "sea" }).invoke(question),
  embeddings: async ({ base, customer }) => {
    const embeddings = new OpenAIEmbeddings({ model: embedder, apiKey: customer.account.key, configuration: { baseURL: `${base}/v1` } });
    return (await embeddings.embedQuery("sea")).length;
  },
  errors: async ({ base, customer }) => {
    const chat = new ChatOpenAI({ model: unserved, apiKey: customer.account.key, maxRetries: 0, configuration: { baseURL: `${base}/v1` } });
    return codeOf(await refusal(chat.invoke(question)));
  },
};

const svcOf = ({ base, customer }: At, more: ClientOptions = {}) => new Svc({ baseURL: base, apiKey: customer.account.key, ...more });
const svcSdk: Client = {
  name: "svc-sdk",
  version: "of this contract",
  chat: async (at) => {
    const { choices, usage } = await svcOf(at).chat.completions.create({ model, messages });
    return { text: choices[0]!.message.content!, input: usage.prompt_tokens, output: usage.completion_tokens, cost: usage.cost };
  },
  stream: async (at) => {
    let text = "";
    let usage: { prompt_tokens: number; completion_tokens: number; cost?: number } | null | undefined;
    const request = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    for await (const chunk of await svcOf(at).chat.completions.create(request)) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    return { text, input: usage?.prompt_tokens, output: usage?.completion_tokens, cost: usage?.cost };
  },
  tools: async (at) => {
    const tools = [{ type: "function" as const, function: { name: "get_weather", parameters: city } }];
    const request = { model, messages: [{ role: "user" as const, content: toolQuestion }], tools };
    return (await svcOf(at).chat.completions.create(request)).choices[0]?.message.tool_calls?.[0]?.function?.name;
  },
  embeddings: async (at) => (await svcOf(at).embeddings.create({ model: embedder, input: "sea" })).data[0]?.embedding.length,
  errors: async (at) => codeOf(await refusal(svcOf(at).chat.completions.create({ model: unserved, messages }))),
  typesOfErrors: { 401: "SvcError", 402: "SvcError", 404: "SvcError", 429: "SvcError" },
  refused: (at, id) => refusedBy(svcOf(at, { maxRetries: 0 }).chat.completions.create({ model: id, messages })),
  models: (at) => idsOf(svcOf(at).models.list()),
  batch: async (at, line) => {
    const { files, batches } = svcOf(at);
    const { id } = await files.create({ file: new File([line], "requests.jsonl"), purpose: "batch" });
    let batch = await batches.create({ input_file_id: id, endpoint: "/v1/chat/completions", completion_window: "24h" });
    while (!ends.includes(batch.status)) {
      await setTimeout(100);
      batch = await batches.get(batch.id);
    }
    return Buffer.from(await (await files.content(batch.output_file_id!)).arrayBuffer()).toString();
  },
};

export const openaiClients: readonly Client[] = [
  chatCompletions,
  responses,
  aiSdk(
    "AI SDK, openai-compatible",
    "@ai-sdk/openai-compatible",
    ({ customer }, id) => customer.aiSdk({ includeUsage: true, supportsStructuredOutputs: true })(id),
    ({ customer }) => customer.aiSdk().embeddingModel(embedder),
  ),
  aiSdk(
    "AI SDK, openai.chat",
    "@ai-sdk/openai",
    ({ customer }, id) => customer.aiOpenai().chat(id),
    ({ customer }) => customer.aiOpenai().embedding(embedder),
  ),
  aiSdk("AI SDK, openai (Responses)", "@ai-sdk/openai", ({ customer }, id) => customer.aiOpenai()(id)),
  langchain,
  svcSdk,
];
