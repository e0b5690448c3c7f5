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
  filtered: "filtered+sim-finish-filtered",
  written: "written+sim-prompt-tokens-1000+sim-cache-write-400",
  uncounted: "uncounted+sim-no-usage+sim-tokens-40",
  paced: "paced+sim-tokens-400+sim-pace-20ms",
  lacking: "lacking+sim-404",
  stopped: "stopped+sim-refuse",
} as const;
/** With a route over another protocol: the first of the two fails. */
const shared = ["helped", "helping"] as const;
export type Purpose = keyof typeof upstreams | (typeof shared)[number] | "vectors";

export const modelOf = (column: Column, purpose: Purpose) => `${idOf(column)}/${purpose}`;

export const cacheWrite = 0.625;
const pricing = { mode: "per-token", input: 0.5, output: 1.5, cached: 0.05, cache_write: cacheWrite };
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
  const provider = idOf(column);
  const other = column === "openai" ? "anthropic" : "openai";
  const pair = [other, column] as const;
  return [
    ...Object.entries(upstreams).map(([purpose, upstream]) => ({
      ...{ id: modelOf(column, purpose as Purpose), ...language, pricing },
      routes: [routeOf(column, upstream)],
    })),
    ...shared.map((purpose) => {
      const [first, second] = purpose === "helping" ? pair : pair.toReversed();
      const routes = [routeOf(first!, "down+sim-fail-503"), routeOf(second!, upstreams.able)];
      return { id: modelOf(column, purpose), ...language, pricing, routes };
    }),
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

const routeOf = (column: Column, upstream: string) => ({ provider: idOf(column), model: `${providers[column].prefix ?? ""}${upstream}` });

export const providersOf = () => columns.map((column) => ({ id: idOf(column), on_disconnect: "cancel", ...providers[column].fields }));
const idOf = (column: Column) => column.replace(/\W+/g, "-").toLowerCase();

const noEmbeddings = (vendor: string) => ({
  embeddings: `no: ${vendor} has none`,
  "embeddings of the width that is asked for": `no: ${vendor} has none`,
});
const unnamed = { "the stop sequence is named, whole and streamed": "no: the host does not say which it was" };
const severalOf = (vendor: string) => ({
  "several answers, each billed, whole and streamed": `refused: ${vendor} gives one answer a request`,
});
const logprobsOf = (vendor: string) => ({
  "log probabilities, whole and streamed": `left out: ${vendor}'s are not read`,
  "log probabilities of completions": "refused: log probabilities are not given there",
});
const noWrites = (vendor: string) => ({
  "cache writes at their own price": `no: ${vendor} reports none`,
  "cache writes": `no: ${vendor} reports none`,
});
const ofGemini = {
  ...{ ...unnamed, ...logprobsOf("Gemini"), ...noWrites("Gemini") },
  "one tool at a time": "left out: Gemini has no such choice",
};
const ofMessages = (vendor: string) => ({
  ...severalOf(vendor),
  "log probabilities, whole and streamed": `left out: ${vendor} gives none`,
  "log probabilities of completions": "refused: log probabilities are not given there",
  "seed reaches the host": `left out: ${vendor} has none`,
  "penalties reach the host": `left out: ${vendor} has none`,
});

/**
 * Why a claim doesn't hold over a protocol; a test holds that it does not. What is `refused` is a 400 that says so, what is `left out` is not sent,
 * and the answer comes without it.
 */
export const limits: Partial<Record<Column, Record<string, string>>> = {
  openai: unnamed,
  "azure-openai": unnamed,
  anthropic: { ...noEmbeddings("Anthropic"), ...ofMessages("Anthropic") },
  gemini: ofGemini,
  vertex: ofGemini,
  "vertex, Claude": { ...noEmbeddings("Anthropic"), ...ofMessages("Anthropic") },
  bedrock: {
    ...ofMessages("Converse"),
    "one tool at a time": "left out: Converse has no such choice",
    "image at an address": "no: Converse takes bytes",
  },
  cohere: {
    ...{ ...unnamed, ...severalOf("Cohere"), ...logprobsOf("Cohere"), ...noWrites("Cohere") },
    "one tool at a time": "left out: Cohere has no such choice",
    "a PDF": "refused: Cohere reads text and images alone",
    caching: "no: Cohere bills cached tokens like others, or not at all",
  },
};
