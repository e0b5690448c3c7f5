// What models cost over time: each change is a row, written by the process that first serves a catalog whose prices differ from the last known ones.
import { isDeepStrictEqual } from "node:util";
import { type Db, inTransactionOf, type Queries } from "../db/connect.ts";
import { type Price, usdFromPrice } from "../money.ts";
import type { Catalog, Model } from "./types.ts";
import { lockVersions, newestVersionId } from "./versions.ts";

/** In USD, with the keys of the catalog file's `pricing`. */
export type KnownPrice = { mode: string } & Record<string, unknown>;

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
    case "per-token":
      return { ...row.pricing };
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
