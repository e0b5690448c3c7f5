// JavaScript's frameworks and other SDKs that speak OpenAI's dialect.
import { createOpenResponses } from "@ai-sdk/open-responses";
import { InferenceClient } from "@huggingface/inference";
import { Agent, OpenAIChatCompletionsModel, Runner, tool as agentTool } from "@openai/agents";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { OpenRouter } from "@openrouter/sdk";
import { createAgent, tool as langchainTool } from "langchain";
import { z } from "zod";
import { type At, type Client, embedder, model, question, toolQuestion, unserved } from "./client.ts";
import { aiSdk, city, codeOf, costOfUsage, messages, openaiTools, refusal, shape } from "./openai-like.ts";
import { versionOf } from "./versions.ts";

const cityOf = z.object({ city: z.string() });

const runner = new Runner({ tracingDisabled: true });
const agentOf = ({ customer }: At, more: object = {}, id = model) =>
  new Agent({ name: "sea", model: new OpenAIChatCompletionsModel(customer.openai(), id), ...more });
const openaiAgents: Client = {
  name: "OpenAI Agents SDK",
  version: versionOf("@openai/agents"),
  chat: async (at) => {
    const { finalOutput, runContext } = await runner.run(agentOf(at), question);
    const { inputTokens: input, outputTokens: output } = runContext.usage;
    return { text: finalOutput as string, input, output };
  },
  stream: async (at) => {
    const run = await runner.run(agentOf(at), question, { stream: true });
    let text = "";
    for await (const piece of run.toTextStream()) text += piece;
    await run.completed;
    const { inputTokens: input, outputTokens: output } = run.runContext.usage;
    return { text, input, output };
  },
  tools: async (at) => {
    let called: string | undefined;
    const execute = () => {
      called = "get_weather";
      return "sunny";
    };
    await runner.run(agentOf(at, { tools: [agentTool({ name: "get_weather", description: "Tells the weather", parameters: cityOf, execute })] }), toolQuestion); // prettier-ignore
    return called;
  },
  structured: async (at) => (await runner.run(agentOf(at, { outputType: shape }), question)).finalOutput,
  errors: async (at) => codeOf(await refusal(runner.run(agentOf(at, {}, unserved), question))),
};

const langchainAgent: Client = {
  name: "LangChain, createAgent",
  version: versionOf("langchain"),
  chat: async ({ customer }) => {
    const { messages: said } = await createAgent({ model: customer.langchain(model) }).invoke({ messages });
    const last = said.at(-1) as { text: string; usage_metadata?: { input_tokens: number; output_tokens: number } };
    return { text: last.text, input: last.usage_metadata?.input_tokens, output: last.usage_metadata?.output_tokens };
  },
  stream: async ({ customer }) => {
    const agent = createAgent({ model: customer.langchain(model) });
    let text = "";
    let usage: { input_tokens: number; output_tokens: number } | undefined;
    for await (const [chunk] of await agent.stream({ messages }, { streamMode: "messages" })) {
      text += chunk.text;
      usage = (chunk as { usage_metadata?: typeof usage }).usage_metadata ?? usage;
    }
    return { text, input: usage?.input_tokens, output: usage?.output_tokens };
  },
  tools: async ({ customer }) => {
    let called: string | undefined;
    const get_weather = langchainTool(
      () => {
        called = "get_weather";
        return "sunny";
      },
      { name: "get_weather", description: "Tells the weather", schema: cityOf },
    );
    const agent = createAgent({ model: customer.langchain(model), tools: [get_weather] });
    await agent.invoke({ messages: [{ role: "user", content: toolQuestion }] });
    return called;
  },
  structured: async ({ customer }) =>
    (await createAgent({ model: customer.langchain(model), responseFormat: shape }).invoke({ messages })).structuredResponse,
  errors: async ({ customer }) => codeOf(await refusal(createAgent({ model: customer.langchain(unserved) }).invoke({ messages }))),
};

const openRouterOf = ({ base, customer }: At) =>
  new OpenRouter({ apiKey: customer.account.key, serverURL: `${base}/v1`, retryConfig: { strategy: "none" } });
const openRouter: Client = {
  name: "OpenRouter SDK",
  version: versionOf("@openrouter/sdk"),
  chat: async (at) => {
    const answer = await openRouterOf(at).chat.send({ chatRequest: { model, messages, stream: false } });
    if (!("choices" in answer)) throw new Error("a stream");
    const { choices, usage } = answer;
    return {
      text: choices[0]!.message.content as string,
      input: usage?.promptTokens,
      output: usage?.completionTokens,
      cost: usage?.cost ?? undefined,
    };
  },
  stream: async (at) => {
    const stream = await openRouterOf(at).chat.send({
      chatRequest: { model, messages, stream: true, streamOptions: { includeUsage: true } },
    });
    if ("choices" in stream) throw new Error("no stream");
    let text = "";
    let usage: { promptTokens: number; completionTokens: number; cost?: number | null | undefined } | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    return { text, input: usage?.promptTokens, output: usage?.completionTokens, cost: usage?.cost ?? undefined };
  },
  tools: async (at) => {
    const tools = [{ type: "function" as const, function: { name: "get_weather", description: "Tells the weather", parameters: city } }];
    const answer = await openRouterOf(at).chat.send({ chatRequest: { model, messages: [{ role: "user", content: toolQuestion }], tools } });
    return "choices" in answer ? answer.choices[0]!.message.toolCalls?.[0]?.function.name : undefined;
  },
  embeddings: async (at) => {
    const answer = await openRouterOf(at).embeddings.generate({ requestBody: { model: embedder, input: "sea" } });
    return typeof answer === "string" ? undefined : answer.data[0]!.embedding.length;
  },
  errors: async (at) => {
    const error = await refusal(openRouterOf(at).chat.send({ chatRequest: { model: unserved, messages, stream: false } }));
    return (JSON.parse((error as { body: string }).body) as { error: { code: string } }).error.code;
  },
};

const huggingFaceOf = ({ base, customer }: At) => new InferenceClient(customer.account.key, { endpointUrl: `${base}/v1` });
const huggingFace: Client = {
  name: "Hugging Face Inference",
  version: versionOf("@huggingface/inference"),
  chat: async (at) => {
    const { choices, usage } = await huggingFaceOf(at).chatCompletion({ model, messages });
    return { text: choices[0]!.message.content!, input: usage.prompt_tokens, output: usage.completion_tokens, cost: costOfUsage(usage) };
  },
  stream: async (at) => {
    let text = "";
    let usage: { prompt_tokens: number; completion_tokens: number } | null | undefined;
    for await (const chunk of huggingFaceOf(at).chatCompletionStream({ model, messages, stream_options: { include_usage: true } })) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    return { text, input: usage?.prompt_tokens, output: usage?.completion_tokens, cost: costOfUsage(usage) };
  },
  tools: async (at) => {
    const request = { model, messages: [{ role: "user", content: toolQuestion }], tools: openaiTools };
    return (await huggingFaceOf(at).chatCompletion(request as never)).choices[0]!.message.tool_calls?.[0]?.function.name;
  },
  structured: async (at) => {
    const json_schema = { name: "sea", strict: true, schema: z.toJSONSchema(shape) };
    const request = { model, messages, response_format: { type: "json_schema" as const, json_schema } };
    return JSON.parse((await huggingFaceOf(at).chatCompletion(request)).choices[0]!.message.content!) as unknown;
  },
  errors: async (at) => {
    const error = await refusal(huggingFaceOf(at).chatCompletion({ model: unserved, messages }, { retry_on_error: false }));
    return (error as { httpResponse?: { body: { error?: { code?: string } } } }).httpResponse?.body.error?.code;
  },
};

export const frameworkClients: readonly Client[] = [
  aiSdk("AI SDK, open-responses", "@ai-sdk/open-responses", ({ base, customer }, id) =>
    createOpenResponses({ name: "svc", url: `${base}/v1/responses`, apiKey: customer.account.key })(id),
  ),
  aiSdk(
    "AI SDK, openrouter",
    "@openrouter/ai-sdk-provider",
    ({ base, customer }, id) => createOpenRouter({ baseURL: `${base}/v1`, apiKey: customer.account.key, compatibility: "strict" })(id),
    ({ base, customer }) => createOpenRouter({ baseURL: `${base}/v1`, apiKey: customer.account.key }).textEmbeddingModel(embedder),
  ),
  openaiAgents,
  langchainAgent,
  openRouter,
  huggingFace,
];
