// The rerank protocol: its path and its error envelopes. Hosts differ in both; a directive in the model id says which one answers.
import type { Directives } from "../directive-list.ts";
import { readModelId } from "../directives.ts";
import { countTokens } from "../prose.ts";
import { jsonReply, type Plan, type SimulatorProtocol } from "../protocol.ts";
import { type Fields, isFields, readFields, readModel, readWhole, type Refusal, Refused } from "../request-fields.ts";
import { digest, madeUpId, seededRandom } from "../seed.ts";

export const rerank: SimulatorProtocol = {
  name: "rerank",
  prefixes: ["/rerank"],
  findOperation: (method, path) => (method === "POST" && /^(\/v[12])?\/rerank$/.test(path) ? (body) => planRerank(body) : null),
  renderRefusal: (refusal) => JSON.stringify(renderErrorAs(hostOf(refusal.directives ?? {}), refusal)),
};

// POST /rerank: documents by how many of the query's words they hold, so that a search demo finds what it should.

const documentsMax = 10_000;
/** One search unit is a query with so many documents. */
const documentsPerUnit = 100;
/** Makes every document's score its own, without hiding how many words it shares. */
const noise = 0.05;

/** `usual`: the host whose form it is where no directive names one. */
export function planRerank(body: Buffer, usual: Host = "jina"): Plan {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  try {
    const ranking = rank(fields, model, name, directives);
    const reply = jsonReply(200, JSON.stringify(renderRanking(hostOf(directives, usual), ranking, !directives.noUsage)));
    return { model, directives, reply, bill: { input: ranking.tokens, output: 0 }, bytes: reply.body.length };
  } catch (error) {
    // The host that the model id names refuses in its own envelope.
    if (error instanceof Refused) throw new Refused({ ...error.refusal, directives });
    throw error;
  }
}

function rank(fields: Fields, model: string, name: string, directives: Directives): Ranking {
  const { query, documents } = fields;
  if (typeof query !== "string" || query.trim() === "") throw invalid("query", "query must be a text that isn't empty");
  if (!Array.isArray(documents) || documents.length === 0) throw invalid("documents", "documents must hold at least one document");
  if (documents.length > documentsMax) throw invalid("documents", `documents must hold at most ${documentsMax} documents`);
  const texts = documents.map(textOf);
  const most = readWhole(fields, "top_n", 1, 1e9) ?? readWhole(fields, "top_k", 1, 1e9) ?? texts.length;
  const asked = wordsOf(query);
  const scored = texts.map((text, index) => ({ index, text, score: scoreOf(asked, text, `${name}:${query}:${text}`) }));
  scored.sort((left, right) => right.score - left.score || left.index - right.index);
  const ranked = scored.slice(0, most);
  const counted = texts.reduce((sum, text) => sum + countTokens(text), texts.length * countTokens(query));
  return {
    id: madeUpId("", digest(JSON.stringify([name, query, texts]))),
    model,
    ranked: directives.unordered ? ranked.reverse() : ranked,
    withDocuments: fields["return_documents"] === true,
    tokens: directives.promptTokens ?? counted,
    searchUnits: Math.ceil(texts.length / documentsPerUnit),
  };
}

/** A text, or an object with one. */
function textOf(document: unknown, index: number): string {
  if (typeof document === "string") return document;
  if (isFields(document) && typeof document["text"] === "string") return document["text"];
  throw invalid("documents", `documents[${index}] must be a text or an object with a text`);
}

/** From 0 to 1: the share of the query's words that the document holds, and a little of its own. */
function scoreOf(asked: ReadonlySet<string>, text: string, seed: string): number {
  const held = wordsOf(text);
  const shared = [...asked].filter((word) => held.has(word)).length;
  const share = asked.size === 0 ? 0 : shared / asked.size;
  return Math.round((share * (1 - noise) + seededRandom(seed)() * noise) * 1e6) / 1e6;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function invalid(param: string, message: string): Refused {
  const refusal: Refusal = { status: 400, type: "invalid_request_error", code: null, param, message };
  return new Refused(refusal);
}

// How each host of rerankers shapes an answer and an error (docs/behaviour/providers.md#rerank).

type Host = "jina" | "cohere" | "voyage" | "together" | "openrouter" | "vllm";

interface Ranking {
  id: string;
  model: string;
  /** In the order of the answer. */
  ranked: { index: number; score: number; text: string }[];
  /** The request asked for the documents' texts. */
  withDocuments: boolean;
  tokens: number;
  searchUnits: number;
}

/** Jina's shape unless a directive names another host. */
function hostOf(directives: Directives, usual: Host = "jina"): Host {
  const named = (["cohere", "voyage", "together", "openrouter", "vllm"] as const).find((host) => directives[host] !== undefined);
  return named ?? usual;
}

/** Not measured: the answer reports no usage, as with sim-no-usage. */
function renderRanking(host: Host, ranking: Ranking, isMeasured: boolean): Fields {
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

function renderErrorAs(host: Host, { status, type, code, param, message }: Refusal): Fields {
  switch (host) {
    case "cohere":
      return { message };
    case "voyage":
      return { detail: message };
    // The code too, so that a content refusal differs from a wrong request.
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
