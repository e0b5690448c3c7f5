// The catalog's public answers as ready bytes: made once per catalog, filtered ones kept in a bounded cache, so that these
// endpoints cost next to nothing. filters.ts and price-rows.ts decide what stands in them; the handlers set the headers.
import { LRUCache } from "lru-cache";
import type { components, operations } from "../../generated/api.d.ts";
import { failParameter } from "../errors/fail.ts";
import { fits, type ModelFilters, type ModelQuery, readFilters, useCaseOf } from "./filters.ts";
import { legacyPriceList, pricingCatalog } from "./price-rows.ts";
import type { Catalog, Model, ModelRow } from "./types.ts";

interface CatalogAnswers {
  /** Absent: all rows. */
  models(query: ModelQuery, page?: Page): Buffer;
  model(model: Model): Buffer;
  recommendations(query: RecommendQuery): Buffer;
  pricing: Buffer;
  legacyPricing: Buffer;
  tiers: Buffer;
}

const made = new WeakMap<Catalog, CatalogAnswers>();

export function answersOf(catalog: Catalog): CatalogAnswers {
  const known = made.get(catalog);
  if (known !== undefined) return known;
  const answers = makeAnswers(catalog);
  made.set(catalog, answers);
  return answers;
}

/** Callers may invent queries, so the cache is bounded in number and in bytes; the bounds are ample for real pages. */
const cacheEntriesMax = 500;
const cacheBytesMax = 16 * 1024 * 1024;

function makeAnswers(catalog: Catalog): CatalogAnswers {
  const rows = new Map(catalog.listed.map((model) => [model, JSON.stringify(model.row)]));
  const rowBytes = new Map([...rows].map(([model, json]) => [model, Buffer.from(json)]));
  // An alias of a paused model can't be called either.
  const callable = [...catalog.aliases].filter(([, id]) => catalog.listed.some((model) => model.id === id));
  const aliases = JSON.stringify(Object.fromEntries(callable));
  const unfiltered = modelList(rows, aliases, readFilters({}));
  const cache = new LRUCache<string, Buffer>({
    max: cacheEntriesMax,
    maxSize: cacheBytesMax,
    sizeCalculation: (bytes, key) => bytes.length + 2 * key.length,
  });
  const kept = (key: string, make: () => Buffer): Buffer => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const bytes = make();
    cache.set(key, bytes);
    return bytes;
  };
  return {
    models: (query, page) => {
      if (page === undefined && Object.keys(query).length === 0) return unfiltered;
      const filters = readFilters(query);
      return kept(`models ${JSON.stringify([filters, page])}`, () => modelList(rows, aliases, filters, page));
    },
    model: (model) => rowBytes.get(model) ?? toBytes(model.row),
    recommendations: (query) =>
      kept(`recommend ${keyOf(query)}`, () =>
        toBytes(
          recommend(
            catalog.listed.map((model) => model.row),
            query,
          ),
        ),
      ),
    pricing: toBytes(pricingCatalog(catalog.listed)),
    legacyPricing: toBytes(legacyPriceList(catalog.listed)),
    tiers: toBytes({ object: "tier.matrix", tiers: [...catalog.tiers] } satisfies components["schemas"]["TierMatrix"]),
  };
}

/** Rows are text already: a list is joined, not serialised again. */
function modelList(rows: ReadonlyMap<Model, string>, aliases: string, filters: ModelFilters, page?: Page): Buffer {
  const fitting = [...rows.keys()].filter((model) => fits(model.row, filters));
  const { rows: shown, more } = page === undefined ? { rows: fitting, more: false } : pageOf(fitting, page);
  const ids = { first_id: shown[0]?.id ?? null, last_id: shown.at(-1)?.id ?? null };
  const data = shown.map((model) => rows.get(model)!).join(",");
  return Buffer.from(
    `{"object":"list","data":[${data}],"aliases":${aliases},"filters":${JSON.stringify(filters)},"has_more":${more},` +
      `"first_id":${JSON.stringify(ids.first_id)},"last_id":${JSON.stringify(ids.last_id)},` +
      `"total_count":${fitting.length},"links":{"next":null}}`,
  );
}

/** The order in which a query names its parameters doesn't matter. */
function keyOf({ use_case, type, limit, free_tier, max_input_price }: RecommendQuery): string {
  return JSON.stringify([use_case, type, limit, free_tier, max_input_price]);
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

// One page of a list of models, bounded by the ids beside it: how Anthropic's clients read the list.

interface Page {
  /** The most rows of a page; null: all. */
  limit: number | null;
  /** The row before the page; null: none. */
  after: string | null;
  /** The row after the page, which is then filled backwards; null: none. */
  before: string | null;
}

/** `more`: whether others follow in the direction of the page. Throws invalid_parameter for an id that is not in the list. */
function pageOf<Row extends { id: string }>(rows: readonly Row[], { limit, after, before }: Page): { rows: Row[]; more: boolean } {
  const from = after === null ? 0 : placeOf(rows, after, "after_id") + 1;
  const to = before === null ? rows.length : placeOf(rows, before, "before_id");
  const left = rows.slice(from, to);
  if (limit === null) return { rows: left, more: false };
  return { rows: before === null ? left.slice(0, limit) : left.slice(-limit), more: left.length > limit };
}

/** A model may have left the catalog since the last page; starting again from the top would show the others twice. */
function placeOf(rows: readonly { id: string }[], id: string, param: string): number {
  const at = rows.findIndex((row) => row.id === id);
  return at === -1 ? failParameter(param, "the list holds no model of this id") : at;
}

// Which models GET /v1/models/recommend names, in which order and why (docs/behaviour/endpoints.md#models). Pure; rows in, rows out.
// The catalog file says what the editors recommend.

type RecommendQuery = NonNullable<operations["recommendModels"]["parameters"]["query"]>;
type Recommendations = components["schemas"]["RecommendationList"];

/** Only the bare call lists every recommended row. */
const limitDefault = 5;

function recommend(rows: readonly ModelRow[], query: RecommendQuery): Recommendations {
  const asked = readQuery(query);
  const fitting = rows.filter(
    (row) =>
      (asked.useCase === null ? row.recommended : row.use_cases.some((useCase) => useCase === asked.useCase)) &&
      (asked.type === null || row.type === asked.type) &&
      (query.free_tier === undefined || row.free_tier === query.free_tier) &&
      (query.max_input_price === undefined || row.pricing.input <= query.max_input_price),
  );
  // Array.prototype.sort is stable: models of equal rank keep the catalog's order.
  const best = fitting.sort((one, other) => editorsChoice(other) - editorsChoice(one)).slice(0, limitOf(query, asked));
  return {
    object: "list",
    use_case: asked.useCase,
    data: best.map((row, index) => ({ ...row, reason: reasonFor(row, asked.useCase), rank: index + 1 })),
  };
}

interface Asked {
  useCase: string | null;
  type: string | null;
}

/** An empty value counts as absent. */
function readQuery(query: RecommendQuery): Asked {
  const useCase = query.use_case?.trim() || null;
  return { useCase: useCase === null ? null : useCaseOf(useCase), type: query.type?.trim() || null };
}

function limitOf(query: RecommendQuery, { useCase, type }: Asked): number {
  if (query.limit !== undefined) return query.limit;
  const bare = useCase === null && type === null && query.free_tier === undefined && query.max_input_price === undefined;
  return bare ? Number.MAX_SAFE_INTEGER : limitDefault;
}

/** The editors' choice comes before what is merely popular. */
function editorsChoice(row: ModelRow): number {
  return (row.recommended ? 2 : 0) + (row.hot ? 1 : 0);
}

function reasonFor(row: ModelRow, useCase: string | null): string {
  const purpose = row.best_for.replace(/[\s.]+$/, "");
  if (useCase === null) return `Recommended: ${purpose}.`;
  return `${row.recommended ? "Recommended" : "Suited"} for ${useCase}: ${purpose}.`;
}
