// The protocols that serve language models, each by a provider of the simulator, and what a protocol doesn't do.
export const columns = ["openai", "azure-openai", "anthropic", "gemini", "vertex", "vertex, Claude", "bedrock", "cohere"] as const;
export type Column = (typeof columns)[number];

/** How a provider is written, and what stands before its models' ids. */
const providers: Record<Column, { fields: object; prefix?: string }> = {
  openai: { fields: { protocol: "openai", base_url: "simulator:/openai/v1", variant: "openai" } },
  "azure-openai": { fields: { protocol: "azure-openai", base_url: "simulator:/azure", headers: { "api-key": "any" } } },
  anthropic: { fields: { protocol: "anthropic", base_url: "simulator:/anthropic/v1" } },
  gemini: { fields: { protocol: "gemini", base_url: "simulator:/gemini" } },
  vertex: { fields: { protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "global" } },
  "vertex, Claude": {
    fields: { protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "global" },
    prefix: "anthropic/",
  },
  bedrock: {
    fields: { protocol: "bedrock", base_url: "simulator:/bedrock", region: "us-east-1", api_key_env: "CLOUD_KEY" },
    prefix: "anthropic.",
  },
  cohere: { fields: { protocol: "cohere", base_url: "simulator:/cohere" } },
};

export const environment = { CLOUD_KEY: "any", GCE_METADATA_HOST: "simulator:/vertex/metadata" };

/** Upstream ids by what the models are asked for. */
const upstreams = {
  able: "able",
  thinking: "reason+sim-reasoning-tokens-7",
  cached: "cached+sim-prompt-tokens-1000+sim-cached-700",
  rejecting: "rejecting+sim-reject",
  busy: "busy+sim-429",
  breaking: "breaking+sim-cut-after-6",
  torn: "torn+sim-cut-inside-6",
} as const;
export type Purpose = keyof typeof upstreams | "vectors";

export const modelOf = (column: Column, purpose: Purpose) => `${idOf(column)}/${purpose}`;

const pricing = { mode: "per-token", input: 0.5, output: 1.5, cached: 0.05 };
const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true, supports_reasoning: true };
const language = {
  type: "language",
  context_window: 128_000,
  max_output_tokens: 8_000,
  input_modalities: ["text", "image", "file"],
  ...able,
};
const embedders: Partial<Record<Column, string>> = { vertex: "text-embedding-005", bedrock: "amazon.titan-embed-text-v2:0" };

/** Of the catalog file. */
export function modelsOf(column: Column): object[] {
  const { prefix = "" } = providers[column];
  const provider = idOf(column);
  return [
    ...Object.entries(upstreams).map(([purpose, upstream]) => ({
      ...{ id: modelOf(column, purpose as Purpose), ...language, pricing },
      routes: [{ provider, model: `${prefix}${upstream}` }],
    })),
    ...(limits[column]?.["embeddings"] !== undefined
      ? []
      : [
          {
            ...{ id: modelOf(column, "vectors"), type: "embedding", context_window: 8_192, pricing: { mode: "per-token", input: 0.1 } },
            routes: [{ provider, model: embedders[column] ?? "embed" }],
          },
        ]),
  ];
}

export const providersOf = () => columns.map((column) => ({ id: idOf(column), ...providers[column].fields }));
const idOf = (column: Column) => column.replace(/\W+/g, "-").toLowerCase();

/** Why a claim doesn't hold over a protocol; a test holds that it does not. */
export const limits: Partial<Record<Column, Record<string, string>>> = {
  anthropic: { embeddings: "no: Anthropic has none" },
  "vertex, Claude": { embeddings: "no: Anthropic has none" },
  bedrock: { "image at an address": "no: Converse takes bytes" },
  cohere: { "a PDF": "no: Cohere reads text and images alone", caching: "no: Cohere bills cached tokens like others, or not at all" },
};
