// Which tier an account has: decided at once by all the money it ever added, unless an operator gave it one (docs/behaviour/limits.md#tiers). The catalog file owns
// the matrix; src/limits applies what a tier allows.
import { readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import type { Amount } from "../money.ts";
import { parseCatalogText } from "./parse.ts";
import { catalogPaths } from "./paths.ts";
import type { Catalog, Tier } from "./types.ts";

/** What decides an account's tier. */
export interface TierFacts {
  /** Money ever added. */
  purchased: Amount;
  /** The number of the tier that an operator gave it; null: none. */
  assignedTier: number | null;
}

export const nothingPaid: TierFacts = { purchased: 0n, assignedTier: null };

/**
 * The tier that was assigned, where the catalog has it; else the highest whose deposit is reached. An operator's rows may stand in any order.
 */
export function tierOf({ tiers }: Pick<Catalog, "tiers">, { purchased, assignedTier }: TierFacts): Tier {
  if (assignedTier !== null) {
    const assigned = tiers.find(({ tier }) => tier === assignedTier);
    if (assigned !== undefined) return assigned;
  }
  let reached: Tier | undefined;
  let lowest: Tier | undefined;
  const paid = Number(purchased); // deposits of tiers are below 2^53 units, where rounding keeps the order
  for (const tier of tiers) {
    if (lowest === undefined || tier.tier < lowest.tier) lowest = tier;
    if (depositOf(tier) <= paid && (reached === undefined || tier.tier > reached.tier)) reached = tier;
  }
  const found = reached ?? lowest;
  if (found === undefined) throw new Error("the catalog has no tiers");
  return found;
}

/** In units of 1e-8 USD. */
function depositOf(tier: Tier): number {
  return Math.round(tier.min_deposit * 1e8);
}

// The tier matrix that applies where the catalog file gives none (docs/behaviour/limits.md#tiers).

export const shippedTiers: readonly Tier[] = [
  row(0, "Free", 0, { rpm: 30, perModelRpm: 25, tpm: 200_000, maxRequest: 200_000 }, [2, 6], [0, 0], [2, 1, 2, 1]),
  row(1, "Starter", 5, { rpm: 120, perModelRpm: 100, tpm: 1_000_000, maxRequest: 400_000 }, [5, 15], [2, 6], [10, 4, 2, 4]),
  row(2, "Builder", 50, { rpm: 300, perModelRpm: 250, tpm: 2_000_000, maxRequest: 1_000_000 }, [10, 30], [4, 12], [25, 10, 5, 10]),
  row(3, "Growth", 250, { rpm: 900, perModelRpm: 750, tpm: 5_000_000, maxRequest: 1_000_000 }, [20, 60], [8, 24], [50, 20, 10, 20]),
  {
    ...row(
      4,
      "Scale",
      1000,
      { rpm: 3000, perModelRpm: 2500, tpm: 20_000_000, maxRequest: 2_000_000 },
      [38, 114],
      [38, 114],
      [100, 40, 20, 40],
    ),
    combined_media_concurrent: 38,
    combined_queue_depth_cap: 114,
  },
];

type SlotsAndQueue = readonly [slots: number, queue: number];

function row(
  tier: number,
  name: string,
  minDeposit: number,
  rates: { rpm: number; perModelRpm: number; tpm: number; maxRequest: number },
  [imageSlots, imageQueue]: SlotsAndQueue,
  [videoSlots, videoQueue]: SlotsAndQueue,
  [audio, transcription, understanding, speech]: readonly [audio: number, transcription: number, understanding: number, speech: number],
): Tier {
  return {
    tier,
    name,
    min_deposit: minDeposit,
    rpm: rates.rpm,
    per_model_rpm: rates.perModelRpm,
    tpm: rates.tpm,
    max_single_request: rates.maxRequest,
    image_concurrent: imageSlots,
    image_queue_depth_cap: imageQueue,
    video_concurrent: videoSlots,
    video_queue_depth_cap: videoQueue,
    audio_concurrent: audio,
    audio_concurrent_per_capability: { transcription, understanding, speech },
  };
}

// The tier of an account for the command line. Reads only the file's tiers: a fault elsewhere in the catalog must not prevent an operator
// from seeing an account.

export function tierNumber(config: Config, account: TierFacts): number {
  return tierOf({ tiers: tiersOf(config.catalogPath) }, account).tier;
}

/** The first that a file of the catalog names, or the shipped ones: the shipped catalog has none of its own. */
export function tiersOf(named: string | null): readonly Tier[] {
  for (const path of catalogPaths(named)) {
    const text = readFileSync(path, "utf8");
    if (!/\btiers\b/.test(text)) continue;
    const { tiers } = (parseCatalogText(text).value ?? {}) as { tiers?: Tier[] };
    if (Array.isArray(tiers) && tiers.length > 0) return tiers;
  }
  return shippedTiers;
}
