// POST /rerank: documents by how many of the query's words they hold, so that a search demo finds what it should.
import type { Knobs } from "../knob-list.ts";
import { readModelId } from "../knobs.ts";
import { jsonReply, type Plan } from "../protocol.ts";
import { type Refusal, Refused } from "../refused.ts";
import { type Fields, isFields, readFields, readModel, readWhole } from "../request-fields.ts";
import { digest, madeUpId, seededRandom } from "../seed.ts";
import { countTokens } from "../tokens.ts";
import { hostOf, type Ranking, renderRanking } from "./hosts.ts";

const documentsMax = 10_000;
/** One search unit is a query with so many documents. */
const documentsPerUnit = 100;
/** Makes every document's score its own, without hiding how many words it shares. */
const noise = 0.05;

export function planRerank(body: Buffer): Plan {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, knobs } = readModelId(model);
  try {
    const ranking = rank(fields, model, name, knobs);
    const reply = jsonReply(200, JSON.stringify(renderRanking(hostOf(knobs), ranking, !knobs.noUsage)));
    return { model, knobs, reply, bytes: reply.body.length };
  } catch (error) {
    // The host that the model id names refuses in its own envelope.
    if (error instanceof Refused) throw new Refused({ ...error.refusal, knobs });
    throw error;
  }
}

function rank(fields: Fields, model: string, name: string, knobs: Knobs): Ranking {
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
    ranked: knobs.unordered ? ranked.reverse() : ranked,
    withDocuments: fields["return_documents"] === true,
    tokens: knobs.promptTokens ?? counted,
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
