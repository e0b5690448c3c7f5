// The catalog's tiers as the database's functions take them (src/db/functions/media_limits.sql).
import type { Tier } from "../catalog/types.ts";

/** As JSON text, the lowest tier first. */
export function tierLimits(tiers: readonly Tier[]): string {
  const rows = [...tiers].sort((one, other) => one.tier - other.tier).map(limitsOf);
  return JSON.stringify(rows);
}

function limitsOf(tier: Tier) {
  const { combined_media_concurrent: slots, combined_queue_depth_cap: waiting } = tier;
  return {
    deposit: Math.round(tier.min_deposit * 1e8),
    image: { slots: tier.image_concurrent, waiting: tier.image_queue_depth_cap },
    video: { slots: tier.video_concurrent, waiting: tier.video_queue_depth_cap },
    ...(slots === undefined ? {} : { media: { slots, waiting: waiting ?? tier.image_queue_depth_cap } }),
  };
}
