// The catalog's public answers as ready bytes: made once per catalog, filtered ones kept in a bounded cache, so that these
// endpoints cost next to nothing. Leaves what stands in them to filters.ts, recommend.ts and price-rows.ts, headers to the handlers.
import { LRUCache } from "lru-cache";
import type { components } from "../../generated/api.d.ts";
import { fits, type ModelFilters, type ModelQuery, readFilters } from "./filters.ts";
import { type Page, pageOf } from "./page.ts";
import { legacyPriceList, pricingCatalog } from "./price-rows.ts";
import { recommend, type RecommendQuery } from "./recommend.ts";
import type { Catalog, Model } from "./types.ts";

export interface CatalogAnswers {
  /** Without a page all of them. */
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

/** Anybody may invent queries: neither their number nor their bytes may grow. Ample for what a site's pages really ask. */
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

/** Rows are text already: a list is put together, not serialised again. */
function modelList(rows: ReadonlyMap<Model, string>, aliases: string, filters: ModelFilters, page?: Page): Buffer {
  const fitting = [...rows.keys()].filter((model) => fits(model.row, filters));
  const { rows: shown, more } = page === undefined ? { rows: fitting, more: false } : pageOf(fitting, page);
  const ids = { first_id: shown[0]?.id ?? null, last_id: shown.at(-1)?.id ?? null };
  const data = shown.map((model) => rows.get(model)!).join(",");
  return Buffer.from(
    `{"object":"list","data":[${data}],"aliases":${aliases},"filters":${JSON.stringify(filters)},"has_more":${more},` +
      `"first_id":${JSON.stringify(ids.first_id)},"last_id":${JSON.stringify(ids.last_id)}}`,
  );
}

/** The order in which a query names its parameters doesn't matter. */
function keyOf({ use_case, type, limit, free_tier, max_input_price }: RecommendQuery): string {
  return JSON.stringify([use_case, type, limit, free_tier, max_input_price]);
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
