// The model row that clients see, made from the file: applies every default of the catalog, derives `created` and `free_tier`.
// answers.ts and filters.ts list and filter the rows.
import type { FileModel } from "./file.ts";
import { kindOf, rowPricing } from "./prices.ts";
import type { ModelRow } from "./types.ts";

export function makeRow(model: FileModel, facts: { freeTier: boolean }): ModelRow {
  const abilities = abilitiesOf(model);
  const { created, day } = birthOf(model);
  const useCases = model.use_cases ?? model.recommended_for ?? [];
  const pricing = rowPricing(model.pricing ?? freeOfCharge);
  const limits = limitsOf(model);
  return {
    id: model.id,
    object: "model",
    created,
    created_at: new Date(created * 1000).toISOString(),
    ...labelsOf(model),
    type: model.type,
    capability: kindOf(model),
    tags: model.tags ?? provenTags(model, abilities),
    use_cases: useCases,
    recommended_for: useCases,
    ...limits,
    max_tokens_passthrough: model.max_tokens_passthrough ?? true,
    recommended: model.recommended ?? false,
    hot: model.hot ?? false,
    pricing,
    list_price: model.list_price === undefined ? pricing : rowPricing(model.list_price),
    pricing_mode: pricing.mode,
    promotion: model.promotion ?? null,
    free_tier: facts.freeTier,
    ...abilities,
    supported_parameters: model.supported_parameters ?? parametersOf(model, abilities),
    weights_source: model.weights_source ?? null,
    reduced_precision: model.reduced_precision ?? precisionOf(model),
    release_date: day,
    retires_on: model.retires_on ?? null,
    ...clientFields(model.id, { ...limits, ...abilities, pricing }),
  };
}

const freeOfCharge = { mode: "per-token" as const, input: 0, output: 0 };

type Told = Pick<ModelRow, "context_window" | "max_output_tokens" | "input_modalities" | "output_modalities" | "pricing">;

/** The same limits and prices under the names that clients of other vendors' lists read. */
function clientFields(id: string, { context_window, max_output_tokens, input_modalities, output_modalities, pricing }: Told) {
  const [context, output] = [context_window || null, max_output_tokens || null];
  const byToken = pricing.mode === "per-token";
  const cost = {
    ...{ input: pricing.input, output: pricing.output },
    ...(pricing.cached === null ? {} : { cache_read: pricing.cached }),
    ...(pricing.cache_write === undefined ? {} : { cache_write: pricing.cache_write }),
  };
  return {
    ...{ context_length: context, max_input_tokens: context, max_tokens: output },
    input_cost_per_token: byToken ? Number(pricing.prompt) : null,
    output_cost_per_token: byToken ? Number(pricing.completion) : null,
    limit: { context: context_window, output: max_output_tokens },
    cost: byToken ? cost : null,
    architecture: { modality: `${input_modalities.join("+")}->${output_modalities.join("+")}`, input_modalities, output_modalities },
    top_provider: { context_length: context, max_completion_tokens: output, is_moderated: false as const },
    canonical_slug: id,
    links: { details: `/v1/models/${id}` },
    ...{ default_parameters: null, per_request_limits: null, supported_voices: null },
  };
}

/** The day this catalog's format began: `created` of a model without a release date, so that it stays the same from start to start. */
const firstDay = "2026-01-01";

function birthOf({ release_date: day = firstDay }: FileModel): { created: number; day: string } {
  return { created: Date.parse(`${day}T00:00:00Z`) / 1000, day };
}

function withArticle(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** Missing and empty labels become words, because clients show them. */
function labelsOf(model: FileModel) {
  const slash = model.id.indexOf("/");
  const name = model.name || model.id.slice(model.id.lastIndexOf("/") + 1) || model.id;
  return {
    name,
    display_name: name,
    owned_by: model.owned_by || (slash > 0 ? model.id.slice(0, slash) : "unnamed"),
    description: model.description || `${name}: ${withArticle(kindOf(model))} model.`,
    best_for: model.best_for || `General ${kindOf(model)} work`,
    speed: model.speed || "standard",
    latency_tier: model.latency_tier || "standard",
    cost_tier: model.cost_tier || "standard",
    quality_tier: model.quality_tier || "standard",
    tier: model.tier || "standard",
    weights: model.weights || "closed",
    release_stage: model.release_stage || "stable",
  };
}

type Abilities = ReturnType<typeof abilitiesOf>;

function abilitiesOf(model: FileModel) {
  const [reads, makes] = modalitiesOf[model.type];
  const seesImages = model.supports_vision === true || model.requires_image === true;
  const input = model.input_modalities ?? (seesImages ? [...new Set([...reads, "image"])] : [...reads]);
  const isLanguage = model.type === "language";
  return {
    supports_caching: model.supports_caching ?? (isLanguage && model.pricing?.mode === "per-token" && model.pricing.cached != null),
    supports_tools: model.supports_tools ?? false,
    supports_structured_outputs: model.supports_structured_outputs ?? false,
    supports_reasoning: model.supports_reasoning ?? model.reasoning_always_on ?? false,
    supports_vision: model.supports_vision ?? (isLanguage && input.includes("image")),
    input_modalities: input,
    output_modalities: model.output_modalities ?? [...makes],
  };
}

const modalitiesOf: Record<FileModel["type"], readonly [reads: readonly string[], makes: readonly string[]]> = {
  language: [["text"], ["text"]],
  image: [["text"], ["image"]],
  video: [["text", "image"], ["video"]],
  embedding: [["text"], ["embedding"]],
  reranking: [["text"], ["ranking"]],
  transcription: [["audio"], ["text"]],
  "audio-understanding": [["audio", "text"], ["text"]],
  realtime: [
    ["audio", "text"],
    ["audio", "text"],
  ],
  speech: [["text"], ["audio"]],
  decisions: [["text"], ["text"]],
};

/** A sensible default for a current model; 0 where the type has no such limit. */
const limitsDefault: Partial<Record<FileModel["type"], readonly [contextWindow: number, maxOutputTokens: number]>> = {
  language: [128_000, 8_192],
  embedding: [8_192, 0],
  reranking: [32_000, 0],
  decisions: [32_000, 0],
};

function limitsOf(model: FileModel) {
  const [contextWindow, maxOutputTokens] = limitsDefault[model.type] ?? [0, 0];
  const limit = model.gateway_output_limit ?? null;
  const context = model.context_window ?? contextWindow;
  return {
    context_window: context,
    max_output_tokens: model.max_output_tokens ?? Math.min(maxOutputTokens, context),
    gateway_output_limit: limit,
    output_limit_source: model.output_limit_source ?? (limit === null ? "provider" : "gateway"),
  };
}

/** "A tag is set only when objectively true"; fast and the two of caching are set on no model (check.ts). */
function provenTags({ type }: FileModel, abilities: Abilities): ModelRow["tags"] {
  const tags: ModelRow["tags"] = [];
  if (abilities.supports_tools) tags.push("tool-use");
  if (abilities.supports_reasoning) tags.push("reasoning");
  if (abilities.supports_vision) tags.push("vision");
  if (type === "language" && abilities.input_modalities.includes("file")) tags.push("file-input");
  if (type === "image") tags.push("image-generation");
  if (type === "video") tags.push("video-generation");
  return tags;
}

function parametersOf(model: FileModel, abilities: Abilities): string[] {
  if (model.type !== "language") return [...(parametersOfType[model.type] ?? [])];
  return [
    ...["max_tokens", "temperature", "top_p", "stop", "seed", "stream"],
    ...(abilities.supports_tools ? ["tools", "tool_choice"] : []),
    ...(abilities.supports_structured_outputs ? ["response_format"] : []),
    ...(abilities.supports_reasoning ? ["reasoning", "reasoning_effort"] : []),
  ];
}

const parametersOfType: Partial<Record<FileModel["type"], readonly string[]>> = {
  image: ["n", "size", "quality", "image_url", "image_urls", "extra"],
  video: ["duration_s", "aspect_ratio", "image_url", "extra"],
  embedding: ["dimensions", "encoding_format"],
  reranking: ["top_n", "return_documents"],
  transcription: ["language", "response_format", "temperature", "prompt"],
  speech: ["response_format"],
};

/** A model counts as reduced when no route runs it in full precision. */
function precisionOf({ routes = [] }: FileModel): string | null {
  const precisions = routes.map((route) => route.reduced_precision);
  return precisions.length > 0 && precisions.every((precision) => precision !== undefined) ? (precisions[0] ?? null) : null;
}
