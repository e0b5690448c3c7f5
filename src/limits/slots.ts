// Which pool of slots a kind of work takes one from, and how many there are (gateway-api.md "Limits", audio concurrency).
// Counting them is src/ledger's: a slot lives and ends with its hold.
import type { Tier } from "../catalog/types.ts";
import type { Slot } from "../ledger/ledger.ts";
import { assertAllowed } from "./tier-limits.ts";

export type SlotKind = "transcription" | "understanding" | "speech" | "image" | "video";

/** Audio calls of all kinds together. */
export const audioGroup = "audio";

/** Fails with permission_denied where the tier has none. */
export function slotOf(tiers: readonly Tier[], tier: Tier, kind: SlotKind): Slot {
  assertAllowed(tiers, tier, workNames[kind], (one) => slotsOf(one, kind));
  if (kind === "image" || kind === "video") return { ...mediaPoolOf(tier, kind), group: null, groupMax: null };
  return { pool: kind, poolMax: tier.audio_concurrent_per_capability[kind], group: audioGroup, groupMax: tier.audio_concurrent };
}

/** The pool that a tier's image or video jobs share out; the highest tier has one for both. */
export function mediaPoolOf(tier: Tier, kind: "image" | "video"): { pool: string; poolMax: number } {
  if (tier.combined_media_concurrent !== undefined) return { pool: "media", poolMax: tier.combined_media_concurrent };
  return { pool: kind, poolMax: kind === "image" ? tier.image_concurrent : tier.video_concurrent };
}

function slotsOf(tier: Tier, kind: SlotKind): number {
  if (kind === "image" || kind === "video")
    return Math.min(mediaPoolOf(tier, kind).poolMax, kind === "image" ? tier.image_concurrent : tier.video_concurrent);
  return Math.min(tier.audio_concurrent, tier.audio_concurrent_per_capability[kind]);
}

const workNames: Record<SlotKind, string> = {
  transcription: "transcriptions",
  understanding: "audio understanding",
  speech: "speech, music or sound effects",
  image: "image jobs",
  video: "video jobs",
};
