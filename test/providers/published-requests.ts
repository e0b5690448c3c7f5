// Requests as vendors and their clients publish them, each with its source, beside the request of one of our dialects that means the same. Our own
// words stand in them, and what is the caller's to choose; fields that only we send are left out.
import type { Protocol } from "../../src/providers/types.ts";

export interface Published {
  name: string;
  /** An address, or a project and the place in its tests. */
  source: string;
  protocol: Protocol;
  model?: string;
  thinking?: "adaptive";
  /** Without the model. */
  asks: { chat: object } | { messages: object } | { embed: string[]; dimensions?: number } | { rerank: object };
  /** What is published. */
  sent: object;
  path?: string;
}

const user = (content: unknown) => ({ role: "user", content });
const hello = [user("Hello")];
const png = "iVBORw0KGgo=";
const pdf = "JVBERi0xLjQK";
const place = { type: "object", properties: { place: { type: "string" } }, required: ["place"], additionalProperties: false };
const tool = { type: "function", function: { name: "look", description: "Looks.", parameters: place } };
const form = { type: "json_schema", json_schema: { name: "spot", strict: true, schema: place } };
const instructed = [{ role: "system", content: "Be brief." }, ...hello];
const looked = { id: "call_1", type: "function", function: { name: "look", arguments: '{"place":"shore"}' } };
const told = [
  ...hello,
  { role: "assistant", content: null, tool_calls: [looked] },
  { role: "tool", tool_call_id: "call_1", content: "Fog." },
];
const shown = [user([{ type: "text", text: "Look" }, { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } }])]; // prettier-ignore
const read = [user([{ type: "text", text: "Read" }, { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } }])]; // prettier-ignore
const messageTool = { name: "look", description: "Looks.", input_schema: place };
const cached = { cache_control: { type: "ephemeral" } };

const openaiDocs = "https://platform.openai.com/docs";
const openai: Omit<Published, "protocol">[] = [
  { name: "tools, one of them forced", source: `${openaiDocs}/guides/function-calling`, asks: { chat: { messages: hello, tools: [tool], tool_choice: { type: "function", function: { name: "look" } } } }, sent: { messages: hello, tools: [tool], tool_choice: { type: "function", function: { name: "look" } } } }, // prettier-ignore
  {
    name: "a tool's result",
    source: `${openaiDocs}/guides/function-calling`,
    asks: { chat: { messages: told, tools: [tool] } },
    sent: { messages: told },
  },
  { name: "structured output", source: `${openaiDocs}/guides/structured-outputs`, asks: { chat: { messages: hello, response_format: form } }, sent: { response_format: form } }, // prettier-ignore
  { name: "a picture", source: `${openaiDocs}/guides/images-vision`, asks: { chat: { messages: shown } }, sent: { messages: shown } },
  { name: "a PDF", source: `${openaiDocs}/guides/pdf-files`, asks: { chat: { messages: read } }, sent: { messages: read } },
  { name: "reasoning", source: `${openaiDocs}/guides/reasoning`, asks: { chat: { messages: hello, reasoning_effort: "low", max_completion_tokens: 500 } }, sent: { reasoning_effort: "low", max_completion_tokens: 500 } }, // prettier-ignore
  { name: "a stream with its usage", source: `${openaiDocs}/api-reference/chat/create`, asks: { chat: { messages: hello, stream: true, stream_options: { include_usage: true } } }, sent: { stream: true, stream_options: { include_usage: true } } }, // prettier-ignore
  { name: "embeddings of a width", source: `${openaiDocs}/api-reference/embeddings/create`, asks: { embed: ["low", "high"], dimensions: 2 }, sent: { input: ["low", "high"], dimensions: 2 } }, // prettier-ignore
];

const claudeDocs = "https://platform.claude.com/docs/en";
const anthropic: Omit<Published, "protocol">[] = [
  { name: "instructions and sampling", source: `${claudeDocs}/api/messages`, asks: { chat: { messages: instructed, max_tokens: 500, temperature: 0.5 } }, sent: { system: "Be brief.", max_tokens: 500, temperature: 0.5, messages: [user([{ type: "text", text: "Hello" }])] } }, // prettier-ignore
  { name: "tools, one of them forced", source: `${claudeDocs}/agents-and-tools/tool-use/overview`, asks: { chat: { messages: hello, tools: [tool], tool_choice: { type: "function", function: { name: "look" } } } }, sent: { tools: [messageTool], tool_choice: { type: "tool", name: "look" } } }, // prettier-ignore
  { name: "a tool's result", source: `${claudeDocs}/agents-and-tools/tool-use/implement-tool-use`, asks: { chat: { messages: told, tools: [tool] } }, sent: { messages: [user([{ type: "text", text: "Hello" }]), { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "look", input: { place: "shore" } }] }, user([{ type: "tool_result", tool_use_id: "call_1", content: "Fog." }])] } }, // prettier-ignore
  { name: "a picture", source: `${claudeDocs}/build-with-claude/vision`, asks: { chat: { messages: shown } }, sent: { messages: [user([{ type: "text", text: "Look" }, { type: "image", source: { type: "base64", media_type: "image/png", data: png } }])] } }, // prettier-ignore
  { name: "a PDF", source: `${claudeDocs}/build-with-claude/pdf-support`, asks: { chat: { messages: read } }, sent: { messages: [user([{ type: "text", text: "Read" }, { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } }])] } }, // prettier-ignore
  { name: "thinking with a budget", source: `${claudeDocs}/build-with-claude/extended-thinking`, asks: { messages: { messages: hello, max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } } }, sent: { thinking: { type: "enabled", budget_tokens: 2_000 } } }, // prettier-ignore
  { name: "thinking by an effort", source: `${claudeDocs}/build-with-claude/effort`, thinking: "adaptive", asks: { chat: { messages: hello, reasoning_effort: "low" } }, sent: { thinking: { type: "adaptive" }, output_config: { effort: "low" } } }, // prettier-ignore
  { name: "structured output", source: `${claudeDocs}/build-with-claude/structured-outputs`, asks: { chat: { messages: hello, response_format: form } }, sent: { output_config: { format: { type: "json_schema", schema: place } } } }, // prettier-ignore
  { name: "a cached beginning", source: `${claudeDocs}/build-with-claude/prompt-caching`, asks: { messages: { messages: hello, max_tokens: 500, system: [{ type: "text", text: "Rules.", ...cached }] } }, sent: { system: [{ type: "text", text: "Rules.", ...cached }] } }, // prettier-ignore
];

const googleTests = "ai-sdk: packages/google/src";
const gemini: Omit<Published, "protocol">[] = [
  { name: "instructions and sampling", source: `${googleTests}/google-language-model.test.ts: should pass the model, messages, and options`, asks: { chat: { messages: instructed, temperature: 0.5, seed: 123 } }, sent: { contents: [{ role: "user", parts: [{ text: "Hello" }] }], systemInstruction: { parts: [{ text: "Be brief." }] }, generationConfig: { temperature: 0.5, seed: 123 } } }, // prettier-ignore
  { name: "a tool that has to be called", source: `${googleTests}/google-language-model.test.ts: should pass tools and toolChoice`, asks: { chat: { messages: hello, tools: [tool], tool_choice: "required" } }, sent: { toolConfig: { functionCallingConfig: { mode: "ANY" } }, tools: [{ functionDeclarations: [{ name: "look", description: "Looks." }] }] } }, // prettier-ignore
  { name: "one tool by its name", source: `${googleTests}/google-prepare-tools.test.ts`, asks: { chat: { messages: hello, tools: [tool], tool_choice: { type: "function", function: { name: "look" } } } }, sent: { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look"] } } } }, // prettier-ignore
  { name: "a tool's result", source: `${googleTests}/convert-to-google-messages.test.ts`, asks: { chat: { messages: told, tools: [tool] } }, sent: { contents: [{ role: "user", parts: [{ text: "Hello" }] }, { role: "model", parts: [{ functionCall: { name: "look", args: { place: "shore" } } }] }, { role: "user", parts: [{ functionResponse: { name: "look" } }] }] } }, // prettier-ignore
  { name: "structured output", source: "https://ai.google.dev/gemini-api/docs/structured-output", asks: { chat: { messages: hello, response_format: form } }, sent: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: place } } }, // prettier-ignore
  { name: "a picture", source: `${googleTests}/convert-to-google-messages.test.ts`, asks: { chat: { messages: shown } }, sent: { contents: [{ role: "user", parts: [{ text: "Look" }, { inlineData: { mimeType: "image/png", data: png } }] }] } }, // prettier-ignore
  { name: "a PDF", source: "https://ai.google.dev/gemini-api/docs/document-processing", asks: { chat: { messages: read } }, sent: { contents: [{ role: "user", parts: [{ text: "Read" }, { inlineData: { mimeType: "application/pdf", data: pdf } }] }] } }, // prettier-ignore
  { name: "thoughts by a budget", source: "https://ai.google.dev/gemini-api/docs/thinking", asks: { chat: { messages: hello, max_tokens: 4_000, reasoning: { max_tokens: 1_024 } } }, sent: { generationConfig: { thinkingConfig: { thinkingBudget: 1_024, includeThoughts: true } } } }, // prettier-ignore
  { name: "thoughts by a level", source: "https://ai.google.dev/gemini-api/docs/thinking", thinking: "adaptive", asks: { chat: { messages: hello, reasoning_effort: "low" } }, sent: { generationConfig: { thinkingConfig: { thinkingLevel: "LOW", includeThoughts: true } } } }, // prettier-ignore
];
const geminiEmbed: Omit<Published, "protocol"> = { name: "embeddings of a width", source: `${googleTests}/google-embedding-model.test.ts: should pass the outputDimensionality setting`, model: "gemini-embedding-001", asks: { embed: ["low", "high"], dimensions: 2 }, sent: { requests: ["low", "high"].map((text) => ({ model: "models/gemini-embedding-001", content: { parts: [{ text }] }, outputDimensionality: 2 })) } }; // prettier-ignore

const vertexTests = "ai-sdk: packages/google-vertex/src/google-vertex-embedding-model.test.ts";
const vertex: Omit<Published, "protocol">[] = [
  ...gemini.map((row) => ({ ...row, model: "gemini-2.5-flash" })),
  { name: "a Claude model", source: "https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai", model: "claude-sonnet-4-5", path: "/publishers/anthropic/models/claude-sonnet-4-5:rawPredict", asks: { messages: { messages: hello, max_tokens: 500 } }, sent: { anthropic_version: "vertex-2023-10-16", messages: hello, max_tokens: 500 } }, // prettier-ignore
  { name: "embeddings of a width", source: `${vertexTests}: should pass the model parameters correctly`, model: "text-embedding-005", path: "/publishers/google/models/text-embedding-005:predict", asks: { embed: ["low", "high"], dimensions: 2 }, sent: { instances: [{ content: "low" }, { content: "high" }], parameters: { outputDimensionality: 2 } } }, // prettier-ignore
  { name: "embeddings by embedContent", source: `${vertexTests}: should use embedContent for gemini-embedding-2`, model: "gemini-embedding-2", path: "/publishers/google/models/gemini-embedding-2:embedContent", asks: { embed: ["low"], dimensions: 2 }, sent: { content: { parts: [{ text: "low" }] }, embedContentConfig: { outputDimensionality: 2 } } }, // prettier-ignore
];

const bedrockTests = "ai-sdk: packages/amazon-bedrock/src";
const bedrockDocs = "https://docs.aws.amazon.com/bedrock/latest";
const bedrock: Omit<Published, "protocol">[] = [
  { name: "instructions", source: `${bedrockTests}/amazon-bedrock-chat-language-model.test.ts: should pass the model and the messages`, asks: { chat: { messages: instructed } }, sent: { messages: [user([{ text: "Hello" }])], system: [{ text: "Be brief." }] } }, // prettier-ignore
  { name: "caps, sampling and stop sequences", source: `${bedrockDocs}/userguide/conversation-inference-call.html`, asks: { chat: { messages: hello, max_tokens: 100, temperature: 0.5, top_p: 0.5, stop: ["END"] } }, sent: { inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.5, stopSequences: ["END"] } } }, // prettier-ignore
  { name: "tools, one has to be called", source: `${bedrockTests}/amazon-bedrock-chat-language-model.test.ts: should pass tools and tool choice correctly`, asks: { chat: { messages: hello, tools: [tool], tool_choice: "required" } }, sent: { toolConfig: { tools: [{ toolSpec: { name: "look", description: "Looks.", inputSchema: { json: place } } }], toolChoice: { any: {} } } } }, // prettier-ignore
  { name: "a tool's result", source: `${bedrockDocs}/userguide/tool-use-inference-call.html`, asks: { chat: { messages: told, tools: [tool] } }, sent: { messages: [user([{ text: "Hello" }]), { role: "assistant", content: [{ toolUse: { toolUseId: "call_1", name: "look", input: { place: "shore" } } }] }, user([{ toolResult: { toolUseId: "call_1", content: [{ text: "Fog." }] } }])] } }, // prettier-ignore
  { name: "a picture", source: `${bedrockTests}/convert-to-amazon-bedrock-chat-messages.test.ts`, asks: { chat: { messages: shown } }, sent: { messages: [user([{ text: "Look" }, { image: { format: "png", source: { bytes: png } } }])] } }, // prettier-ignore
  { name: "a PDF", source: `${bedrockTests}/convert-to-amazon-bedrock-chat-messages.test.ts`, asks: { chat: { messages: read } }, sent: { messages: [user([{ text: "Read" }, { document: { format: "pdf", source: { bytes: pdf } } }])] } }, // prettier-ignore
  { name: "a cached beginning", source: `${bedrockTests}/amazon-bedrock-chat-language-model.test.ts: should handle system messages with cache points`, asks: { messages: { messages: hello, max_tokens: 500, system: [{ type: "text", text: "Rules.", ...cached }] } }, sent: { system: [{ text: "Rules." }, { cachePoint: { type: "default" } }] } }, // prettier-ignore
  { name: "a cached beginning, for an hour", source: `${bedrockTests}/convert-to-amazon-bedrock-chat-messages.test.ts`, asks: { messages: { messages: hello, max_tokens: 500, system: [{ type: "text", text: "Rules.", cache_control: { type: "ephemeral", ttl: "1h" } }] } }, sent: { system: [{ text: "Rules." }, { cachePoint: { type: "default", ttl: "1h" } }] } }, // prettier-ignore
  { name: "thinking with a budget", source: `${bedrockDocs}/userguide/claude-messages-extended-thinking.html`, asks: { messages: { messages: hello, max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } } }, sent: { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } } } }, // prettier-ignore
  { name: "structured output", source: `${bedrockDocs}/APIReference/API_runtime_Converse.html, outputConfig`, asks: { chat: { messages: hello, response_format: form } }, sent: { outputConfig: { textFormat: { type: "json_schema" } } } }, // prettier-ignore
];
const invoked: Omit<Published, "protocol">[] = [
  { name: "Titan's embeddings", source: `${bedrockTests}/amazon-bedrock-embedding-model.test.ts: should handle single input value`, model: "amazon.titan-embed-text-v2:0", asks: { embed: ["low"], dimensions: 2 }, sent: { inputText: "low", dimensions: 2 } }, // prettier-ignore
  { name: "Nova's embeddings", source: `${bedrockTests}/amazon-bedrock-embedding-model.test.ts: should pass embeddingDimension for Nova embeddings`, model: "amazon.nova-2-multimodal-embeddings-v1:0", asks: { embed: ["low"], dimensions: 2 }, sent: { taskType: "SINGLE_EMBEDDING", singleEmbeddingParams: { embeddingPurpose: "GENERIC_INDEX", embeddingDimension: 2, text: { value: "low" } } } }, // prettier-ignore
  { name: "Cohere's embeddings", source: `${bedrockTests}/amazon-bedrock-embedding-model.test.ts: should pass outputDimension for Cohere v4`, model: "cohere.embed-v4:0", asks: { embed: ["low", "high"], dimensions: 2 }, sent: { texts: ["low", "high"], output_dimension: 2 } }, // prettier-ignore
  { name: "a ranking", source: `${bedrockDocs}/userguide/model-parameters-cohere-rerank.html`, model: "cohere.rerank-v3-5:0", asks: { rerank: { query: "sea", documents: ["a hill", "the sea"], top_n: 1 } }, sent: { query: "sea", documents: ["a hill", "the sea"], top_n: 1, api_version: 2 } }, // prettier-ignore
];

const cohereTests = "ai-sdk: packages/cohere/src";
const cohere: Omit<Published, "protocol">[] = [
  { name: "instructions", source: `${cohereTests}/cohere-chat-language-model.test.ts: should pass model and messages`, asks: { chat: { messages: instructed } }, sent: { messages: instructed } }, // prettier-ignore
  { name: "tools, none to be called", source: `${cohereTests}/cohere-chat-language-model.test.ts: should pass tools`, asks: { chat: { messages: hello, tools: [tool], tool_choice: "none" } }, sent: { tool_choice: "NONE", tools: [tool] } }, // prettier-ignore
  { name: "a tool's result", source: "https://docs.cohere.com/v2/docs/tool-use-overview", asks: { chat: { messages: told, tools: [tool] } }, sent: { messages: [...hello, { role: "assistant", tool_calls: [looked] }, { role: "tool", tool_call_id: "call_1", content: "Fog." }] } }, // prettier-ignore
  { name: "structured output", source: `${cohereTests}/cohere-chat-language-model.test.ts: should pass response format`, asks: { chat: { messages: hello, response_format: form } }, sent: { response_format: { type: "json_object", json_schema: place } } }, // prettier-ignore
  {
    name: "a picture",
    source: "https://docs.cohere.com/v2/docs/image-inputs",
    asks: { chat: { messages: shown } },
    sent: { messages: shown },
  },
  { name: "no thinking", source: `${cohereTests}/cohere-chat-language-model.test.ts: should map top-level reasoning none to thinking disabled`, asks: { chat: { messages: hello, reasoning_effort: "none" } }, sent: { thinking: { type: "disabled" } } }, // prettier-ignore
  { name: "thinking with a budget", source: "https://docs.cohere.com/v2/docs/reasoning", asks: { chat: { messages: hello, max_tokens: 4_000, reasoning: { max_tokens: 500 } } }, sent: { thinking: { type: "enabled", token_budget: 500 } } }, // prettier-ignore
  { name: "embeddings of a width", source: `${cohereTests}/cohere-embedding-model.test.ts: should pass the output_dimension setting`, asks: { embed: ["low", "high"], dimensions: 2 }, sent: { texts: ["low", "high"], embedding_types: ["float"], output_dimension: 2 } }, // prettier-ignore
  { name: "a ranking", source: `${cohereTests}/reranking/cohere-reranking-model.test.ts`, asks: { rerank: { query: "sea", documents: ["a hill", "the sea"], top_n: 1 } }, sent: { query: "sea", documents: ["a hill", "the sea"], top_n: 1 } }, // prettier-ignore
];

const over = (protocol: Protocol, rows: readonly Omit<Published, "protocol">[]): Published[] => rows.map((row) => ({ protocol, ...row }));

export const published: readonly Published[] = [
  ...over("openai", openai),
  ...over(
    "azure-openai",
    openai.map((row) => ({ ...row, source: "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/latest, the same as OpenAI's" })),
  ),
  ...over("anthropic", anthropic),
  ...over("gemini", [...gemini, geminiEmbed]),
  ...over("vertex", vertex),
  ...over("bedrock", [...bedrock.map((row) => ({ ...row, model: "anthropic.claude-sonnet-4-5" })), ...invoked]),
  ...over("cohere", cohere),
];
