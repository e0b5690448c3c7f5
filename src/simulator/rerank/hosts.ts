// How each host of rerankers shapes an answer and an error (docs/behaviour/providers.md#rerank). Scores and counts come from documents.ts.
import type { Knobs } from "../knob-list.ts";
import type { Refusal } from "../refused.ts";
import type { Fields } from "../request-fields.ts";

export type Host = "jina" | "cohere" | "voyage" | "together" | "openrouter" | "vllm";

export interface Ranking {
  id: string;
  model: string;
  /** In the order of the answer. */
  ranked: { index: number; score: number; text: string }[];
  /** The request asked for the documents' texts. */
  withDocuments: boolean;
  tokens: number;
  searchUnits: number;
}

/** Jina's shape unless a knob names another host. */
export function hostOf(knobs: Knobs): Host {
  const named = (["cohere", "voyage", "together", "openrouter", "vllm"] as const).find((host) => knobs[host] !== undefined);
  return named ?? "jina";
}

/** Not measured: the answer reports no usage, as with sim-no-usage. */
export function renderRanking(host: Host, ranking: Ranking, isMeasured: boolean): Fields {
  const { id, model, tokens, searchUnits } = ranking;
  const measured = (usage: Fields) => (isMeasured ? usage : {});
  switch (host) {
    case "jina": {
      const results = rows(ranking, ranking.withDocuments, (text) => ({ text }));
      return { model, object: "list", ...measured({ usage: { total_tokens: tokens, prompt_tokens: tokens } }), results };
    }
    case "cohere": {
      const results = rows(ranking, ranking.withDocuments, (text) => ({ text }));
      return { id, results, ...measured({ meta: { api_version: { version: "2" }, billed_units: { search_units: searchUnits } } }) };
    }
    case "voyage": {
      const data = rows(ranking, ranking.withDocuments, (text) => text);
      return { object: "list", data, model, ...measured({ usage: { total_tokens: tokens } }) };
    }
    case "together": {
      const results = rows(ranking, ranking.withDocuments, (text) => ({ text }));
      const usage = { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
      return { object: "rerank", id, model, results, ...measured({ usage }) };
    }
    case "openrouter": {
      const results = rows(ranking, true, (text) => ({ text }));
      const usage = { cost: searchUnits * 0.002, search_units: searchUnits, total_tokens: tokens };
      return { id, model, provider: "Simulator", results, ...measured({ usage }) };
    }
    case "vllm": {
      const results = rows(ranking, true, (text) => ({ text }));
      return { id, model, ...measured({ usage: { total_tokens: tokens } }), results };
    }
  }
}

export function renderErrorAs(host: Host, { status, type, code, param, message }: Refusal): Fields {
  switch (host) {
    case "cohere":
      return { message };
    case "voyage":
      return { detail: message };
    // The code too, so that a content refusal can be told from a wrong request.
    case "jina":
      return { detail: message, ...(code === null ? {} : { code }) };
    case "openrouter":
      return { error: { code: status, message } };
    case "vllm":
      return { error: { message, type: "BadRequestError", param: param ?? null, code: status } };
    case "together":
      return { error: { message, type, param: param ?? null, code } };
  }
}

function rows({ ranked }: Ranking, withDocuments: boolean, shown: (text: string) => unknown): Fields[] {
  return ranked.map(({ index, score, text }) => ({ index, relevance_score: score, ...(withDocuments ? { document: shown(text) } : {}) }));
}
