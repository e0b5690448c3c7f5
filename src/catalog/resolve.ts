// Finds the model that a request names, by id or by alias. It finds paused and retired models too, so that the refusal can say
// why they are not served, and what is near to them.
import { fail } from "../errors/fail.ts";
import { cutId } from "../ids.ts";
import { likenessOfWords } from "../text/likeness.ts";
import type { Catalog, Model } from "./types.ts";

export interface Resolved {
  model: Model;
  /** The name that was sent, where it was an alias. */
  alias: string | null;
}

export function resolveModel(catalog: Pick<Catalog, "models" | "aliases">, name: string): Resolved | undefined {
  const named = catalog.models.get(name);
  if (named !== undefined) return { model: named, alias: null };
  const aliased = catalog.models.get(catalog.aliases.get(name) ?? "");
  return aliased === undefined ? undefined : { model: aliased, alias: name };
}

// Owns the refusal of a model that is not served, and the near matches that it suggests: for a typo, a missing vendor, a retired id.

interface NotServed {
  id: string;
  /** Request field that named it. */
  param: string;
  /** What may be suggested in its place. */
  type: Wanted;
  /** What the catalog holds under that name, active or not. */
  model: Model | null;
}

/** The message names the state, and a replacement when one exists. */
export function failNotServed(catalog: Catalog, { id, param, type, model }: NotServed): never {
  fail("model_not_found", { param, text: { model: cutId(id) || '""', ...stateText(model) }, extra: suggestModels(catalog, id, type) });
}

/** What a refusal says about a paused or retired model. */
export function stateText(model: Model | null): Record<string, string> {
  const state = model?.state ?? { kind: "active" };
  return {
    ...(state.kind === "active" ? {} : { state: state.kind }),
    ...(state.kind === "retired" && state.replacement !== null ? { replacement: state.replacement } : {}),
  };
}

/** Fields that a refused model adds beside `error`. */
interface Suggestions extends Record<string, unknown> {
  /** The id or alias that was most likely meant. */
  did_you_mean: string | null;
  /** Ids of served models, best first. */
  suggested_models: string[];
}

const suggestionsMax = 5;
/** An id may be as long as a request body; no model's is. */
const comparedCharactersMax = 64;
/** Below this likeness two ids are unrelated. */
const likenessMin = 0.55;

/** The type of model that the endpoint serves; null: any. */
type Wanted = Model["type"] | readonly Model["type"][] | ((model: Model) => boolean) | null;

export function suggestModels(catalog: Catalog, id: string, wanted: Wanted): Suggestions {
  const served = catalog.listed.filter((model) => fits(model, wanted));
  const servedIds = new Set(served.map((model) => model.id));
  const replacement = replacementOf(catalog, id, servedIds);
  const asked = simplified(id);
  const names = [...servedIds, ...[...catalog.aliases].filter(([, target]) => servedIds.has(target)).map(([alias]) => alias)];
  const near = names
    .map((name) => ({ name, likeness: likenessOf(asked, simplified(name)) }))
    .filter(({ likeness }) => likeness >= likenessMin)
    .sort((one, other) => other.likeness - one.likeness);
  const nearIds = near.map(({ name }) => catalog.aliases.get(name) ?? name);
  const recommended = served.filter((model) => model.row.recommended);
  const editorsChoice = (recommended.length > 0 ? recommended : served).map((model) => model.id);
  const suggested = [...(replacement === null ? [] : [replacement]), ...nearIds, ...editorsChoice];
  return { did_you_mean: replacement ?? near[0]?.name ?? null, suggested_models: [...new Set(suggested)].slice(0, suggestionsMax) };
}

function fits(model: Model, wanted: Wanted): boolean {
  if (typeof wanted === "function") return wanted(model);
  return wanted === null || (typeof wanted === "string" ? wanted === model.type : wanted.includes(model.type));
}

function replacementOf(catalog: Catalog, id: string, servedIds: ReadonlySet<string>): string | null {
  const state = resolveModel(catalog, id)?.model.state;
  return state?.kind === "retired" && state.replacement !== null && servedIds.has(state.replacement) ? state.replacement : null;
}

interface Simplified {
  whole: string;
  /** The id without its vendor: a vendor in common makes two models no more alike. */
  last: string;
}

/** Case and punctuation are what people get wrong first. */
function simplified(id: string): Simplified {
  const text = id.slice(-comparedCharactersMax).toLowerCase();
  const plain = (part: string) => part.replace(/[^\p{L}\p{N}]/gu, "");
  return { whole: plain(text), last: plain(text.slice(text.lastIndexOf("/") + 1)) };
}

/** 1: the same but for case, punctuation and vendor. 0: nothing in common. */
function likenessOf(asked: Simplified, name: Simplified): number {
  if (asked.last === "" || name.last === "") return 0;
  const slashForgotten = asked.last === asked.whole && name.last !== name.whole;
  return Math.max(likenessOfWords(asked.last, name.last), slashForgotten ? likenessOfWords(asked.whole, name.whole) : 0);
}

const namedMax = 10;

/** Continues a sentence that says what a model does not do. */
export function modelsThat({ listed }: Catalog, able: (model: Model) => boolean): string {
  const ids = listed.filter(able).map(({ id }) => id);
  return ids.length === 0 ? ", and no other model does" : `; these models do: ${ids.slice(0, namedMax).join(", ")}`;
}

// Which model a request names: by id or alias, active, and of a type that an endpoint serves. Each API refuses other types in its own codes.

/** Null: unknown, paused, retired, or of a type that is never served. */
export function findServed(catalog: Catalog, id: string): Resolved | null {
  const found = resolveModel(catalog, id);
  return found === undefined || found.model.state.kind !== "active" || endpointOf(found.model) === null ? null : found;
}

/** `type`: what may be suggested in its place. Fails with model_not_found. */
export function servedModel(catalog: Catalog, id: string, type: Wanted): Resolved {
  const model = resolveModel(catalog, id)?.model ?? null;
  return findServed(catalog, id) ?? failNotServed(catalog, { id, param: "model", type, model });
}

/** Fails with model_not_found or wrong_endpoint. */
export function servedModelOf(catalog: Catalog, id: string, types: readonly Model["type"][]): Resolved {
  const found = servedModel(catalog, id, types);
  const { type } = found.model;
  if (!types.includes(type)) fail("wrong_endpoint", { param: "model", text: { model: id, type, endpoint: endpointOf(found.model)! } });
  return found;
}

/** For the sentences of refusals. Null for types that the catalog file accepts and the gateway never serves. */
export function endpointOf({ type, capability }: Model): string | null {
  return capability === null ? endpointOfType[type] : `/v1/audio/${capability}`;
}

const endpointOfType: Record<Model["type"], string | null> = {
  language: "/v1/chat/completions",
  image: "/v1/images/generations",
  video: "/v1/videos/generations",
  embedding: "/v1/embeddings",
  reranking: "/v1/rerank",
  transcription: "/v1/audio/transcriptions",
  "audio-understanding": null,
  realtime: null,
  speech: "/v1/audio/speech",
  decisions: "/v1/decisions",
};
