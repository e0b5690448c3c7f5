// What models cost over time: each change is a row, written by the process that first serves a catalog whose prices differ from the last known ones.
import { isDeepStrictEqual } from "node:util";
import type { components, operations } from "../../generated/api.d.ts";
import { type Db, inTransactionOf, type Queries } from "../db/connect.ts";
import { type Price, usdFromPrice } from "../money.ts";
import type { Catalog, Model, PriceChange } from "./types.ts";
import { lockVersions, newestVersionId } from "./versions.ts";

/** In USD, with the keys of the catalog file's `pricing`. */
type KnownPrice = components["schemas"]["KnownPrice"];

interface Change {
  model: string;
  before: KnownPrice | null;
  after: KnownPrice | null;
}

/**
 * Notes what differs from the last known prices, in a transaction of its own or in that of `db`. Nothing where a version other than `version`
 * is in use by now: its prices are the ones that count.
 */
export async function notePrices(db: Db | Queries, catalog: Pick<Catalog, "models">, version: number, at: Date): Promise<void> {
  await inTransactionOf(db, async (transaction) => {
    await lockVersions(transaction);
    if ((await newestVersionId(transaction)) !== version) return;
    const changes = changesOf(await lastPrices(transaction), catalog);
    if (changes.length === 0) return;
    await transaction.pool.query(
      `insert into price_change (model, at, price_before, price_after)
       select model, $1, nullif(before, 'null'), nullif(after, 'null') from jsonb_to_recordset($2) as t(model text, before jsonb, after jsonb)`,
      [at, JSON.stringify(changes)],
    );
  });
}

async function lastPrices({ pool }: Queries): Promise<Map<string, KnownPrice>> {
  const { rows } = await pool.query<{ model: string; price: KnownPrice | null }>(
    "select distinct on (model) model, price_after as price from price_change order by model, id desc",
  );
  return new Map(rows.flatMap(({ model, price }) => (price === null ? [] : [[model, price]])));
}

/** A paused model keeps its price. A model that was never active has none yet, so that prices in preparation stay private. */
function changesOf(known: ReadonlyMap<string, KnownPrice>, { models }: Pick<Catalog, "models">): Change[] {
  const sold = [...models.values()].filter(({ state, type }) => state.kind === "active" && !neverServed.has(type));
  const changed = sold.flatMap((model): Change[] => {
    const [before, after] = [known.get(model.id) ?? null, priceOf(model)];
    return isDeepStrictEqual(before, after) ? [] : [{ model: model.id, before, after }];
  });
  const gone = [...known].filter(([id]) => (models.get(id)?.state.kind ?? "retired") === "retired");
  return [...changed, ...gone.map(([model, before]) => ({ model, before, after: null }))];
}

const neverServed = new Set<Model["type"]>(["realtime", "audio-understanding"]);

export function priceOf({ row, pricing }: Pick<Model, "row" | "pricing">): KnownPrice {
  const usd = (price: Price) => usdFromPrice(price);
  switch (pricing.mode) {
    case "per-token": {
      // Without what says the same once more, as text for other vendors' clients.
      const { prompt: _1, completion: _2, input_cache_read: _3, input_cache_write: _4, web_search: _5, ...price } = row.pricing;
      return price;
    }
    case "per-image":
      return { mode: pricing.mode, usd_per_image: usd(pricing.perImage) };
    case "per-quality": {
      const tiers = { low: usd(pricing.low), medium: usd(pricing.medium), high: usd(pricing.high) };
      return { mode: pricing.mode, tiers, default_quality: pricing.defaultQuality };
    }
    case "per-megapixel":
      return { mode: pricing.mode, base_usd: usd(pricing.base), extra_per_mp_usd: usd(pricing.extraPerMegapixel) };
    case "per-second":
      return { mode: pricing.mode, usd_per_second: usd(pricing.perSecond) };
    case "per-minute":
      return { mode: pricing.mode, usd_per_minute: usd(pricing.perMinute), min_billable_minutes: pricing.minBillableMinutes };
    case "per-1k-chars":
      return { mode: pricing.mode, usd_per_1k_chars: usdFromPrice(pricing.perCharacter, 1000n) };
    case "per-song":
      return { mode: pricing.mode, usd_per_song: usd(pricing.perSong) };
    case "per-call":
      return { mode: pricing.mode, usd_per_call: usd(pricing.perCall) };
  }
}

// Showing it: each process keeps the newest changes with the catalog that it serves, so that reading them costs no statement.

/** Some hundred bytes each. */
const keptMax = 5_000;

/** Newest first. */
export async function readPriceChanges({ pool }: Queries): Promise<PriceChange[]> {
  const { rows } = await pool.query<{ id: bigint; model: string; at: Date } & Pick<PriceChange, "before" | "after">>(
    "select id, model, at, price_before as before, price_after as after from price_change order by id desc limit $1",
    [keptMax],
  );
  return rows.map(({ id, at, ...row }) => ({ id: `${idPrefix}${id}`, object: "price.change", at: at.toISOString(), ...row }));
}

const idPrefix = "prc_";
const orderOf = (id: string) => Number(id.slice(idPrefix.length));

const pageDefault = 50;

/** Of listed models alone: what was sold once may be a secret by now. */
export function priceChangePage(
  { priceChanges, listed, aliases }: Pick<Catalog, "priceChanges" | "listed" | "aliases">,
  { model, after, limit = pageDefault }: NonNullable<operations["listPriceChanges"]["parameters"]["query"]>,
): components["schemas"]["PriceChangeList"] {
  const shown = new Set(listed.map(({ id }) => id));
  const wanted = model === undefined ? undefined : (aliases.get(model) ?? model);
  const rows = priceChanges.filter(
    (change) =>
      shown.has(change.model) &&
      (wanted === undefined || change.model === wanted) &&
      (after === undefined || orderOf(change.id) < orderOf(after)),
  );
  const data = rows.slice(0, limit);
  return { object: "list", data, has_more: rows.length > limit, last_id: data.at(-1)?.id ?? null };
}

/** By key, such as `long_context.input`; those that stayed are left out. */
export function priceDifferences(before: object | null | undefined, after: object | null | undefined) {
  const [old, now] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ key, before: old.get(key) ?? null, after: now.get(key) ?? null }))
    .filter((one) => one.before !== one.after);
}

function flat(pricing: object | null | undefined, before = ""): Map<string, string> {
  return new Map(
    Object.entries(pricing ?? {}).flatMap(([key, value]: [string, unknown]) =>
      typeof value === "object" && value !== null ? [...flat(value, `${before}${key}.`)] : [[`${before}${key}`, String(value)] as const],
    ),
  );
}
