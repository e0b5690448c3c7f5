// The filters of GET /v1/models: reads them, says which rows fit, and echoes them (docs/behaviour/endpoints.md#models). The edge
// decodes and coerces the query; answers.ts caches the answers.
import type { components, operations } from "../../generated/api.d.ts";
import type { ModelRow } from "./types.ts";

export type ModelQuery = Omit<NonNullable<operations["listModels"]["parameters"]["query"]>, "limit" | "after_id" | "before_id">;
/** The filters of a request, every key set; also what the answer echoes. */
export type ModelFilters = components["schemas"]["ModelFilters"];

export function readFilters(query: ModelQuery): ModelFilters {
  const ownedBy = listOf(query.owned_by);
  return {
    type: listOf(query.type),
    creator: unique([...listOf(query.creator), ...ownedBy]),
    owned_by: ownedBy,
    tags: listOf(query.tags),
    use_cases: listOf(query.use_cases),
    recommended_for: unique(listOf(query.recommended_for).map(useCaseOf)),
    input_modalities: listOf(query.input_modalities),
    output_modalities: listOf(query.output_modalities),
    supported_parameters: listOf(query.supported_parameters),
    latency_tier: wordOf(query.latency_tier),
    cost_tier: wordOf(query.cost_tier),
    quality_tier: wordOf(query.quality_tier),
    release_stage: wordOf(query.release_stage),
    tier: wordOf(query.tier),
    capability: wordOf(query.capability),
    tools: query.tools ?? null,
    vision: query.vision ?? null,
    reasoning: query.reasoning ?? null,
    structured_outputs: query.structured_outputs ?? null,
    min_context_window: query.min_context_window ?? null,
    max_input_price: query.max_input_price ?? null,
  };
}

export function fits(row: ModelRow, filters: ModelFilters): boolean {
  return fitsLists(row, filters) && fitsWords(row, filters) && fitsFlags(row, filters) && fitsNumbers(row, filters);
}

/** `type` and `creator` list what a row may be, all others what it must have. */
function fitsLists(row: ModelRow, filters: ModelFilters): boolean {
  return (
    isAnyOf(row.type, filters.type) &&
    isAnyOf(row.owned_by, filters.creator) &&
    hasAll(row.tags, filters.tags) &&
    hasAll(row.use_cases, filters.use_cases) &&
    hasAll(row.use_cases, filters.recommended_for) &&
    hasAll(row.input_modalities, filters.input_modalities) &&
    hasAll(row.output_modalities, filters.output_modalities) &&
    hasAll(row.supported_parameters, filters.supported_parameters)
  );
}

function fitsWords(row: ModelRow, filters: ModelFilters): boolean {
  return words.every((word) => filters[word] === null || filters[word] === row[word]);
}

const words = ["latency_tier", "cost_tier", "quality_tier", "release_stage", "tier", "capability"] as const;

function fitsFlags(row: ModelRow, filters: ModelFilters): boolean {
  return (
    isAsAsked(row.supports_tools, filters.tools) &&
    isAsAsked(row.supports_vision, filters.vision) &&
    isAsAsked(row.supports_reasoning, filters.reasoning) &&
    isAsAsked(row.supports_structured_outputs, filters.structured_outputs)
  );
}

/** Rows that are not billed by token report an input price of 0, so max_input_price lets them through. */
function fitsNumbers(row: ModelRow, filters: ModelFilters): boolean {
  return (
    (filters.min_context_window === null || row.context_window >= filters.min_context_window) &&
    (filters.max_input_price === null || row.pricing.input <= filters.max_input_price)
  );
}

function isAnyOf(value: string, asked: readonly string[]): boolean {
  return asked.length === 0 || asked.includes(value);
}

function hasAll(values: readonly string[], asked: readonly string[]): boolean {
  return asked.every((value) => values.includes(value));
}

function isAsAsked(value: boolean, asked: boolean | null): boolean {
  return asked === null || value === asked;
}

function listOf(values: readonly string[] | undefined): string[] {
  return values === undefined ? [] : unique(values.map((value) => value.trim()).filter((value) => value !== ""));
}

/** An empty value filters nothing, like an absent one. */
function wordOf(value: string | undefined): string | null {
  return value?.trim() || null;
}

function unique(values: string[]): string[] {
  return [...new Set(values)];
}

// The old vocabulary of `recommended_for`, which filters still understand, in today's use cases.
// Unknown words are left as they are: no model has them.

/** Old word, or today's, to today's use case. */
export function useCaseOf(word: string): string {
  return todaysWord[word.toLowerCase()] ?? word;
}

const todaysWord: Record<string, string | undefined> = {
  __proto__: null as unknown as undefined,
  code: "write-code",
  coding: "write-code",
  programming: "write-code",
  agent: "build-agents",
  agents: "build-agents",
  agentic: "build-agents",
  "tool-use": "build-agents",
  conversation: "chat",
  general: "chat",
  "general-purpose": "chat",
  writing: "write-content",
  content: "write-content",
  "creative-writing": "write-content",
  translation: "translate",
  multilingual: "translate",
  research: "research-web",
  "web-search": "research-web",
  search: "research-web",
  documents: "analyse-documents",
  "long-context": "analyse-documents",
  summarization: "analyse-documents",
  math: "solve-math",
  reasoning: "solve-math",
  images: "generate-images",
  "image-generation": "generate-images",
  "image-editing": "edit-images",
  video: "generate-video",
  "video-generation": "generate-video",
  transcription: "transcribe-audio",
  "speech-to-text": "transcribe-audio",
  speech: "generate-speech",
  tts: "generate-speech",
  "text-to-speech": "generate-speech",
  retrieval: "search-documents",
  rag: "search-documents",
  embeddings: "search-documents",
  reranking: "search-documents",
};
