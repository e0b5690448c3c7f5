// Which pool of slots a kind of work takes one from, and how many there are (gateway-api.md "Limits", audio concurrency). Slots of audio
// live and end with their holds (src/ledger); those of media jobs are counted as the jobs themselves (migration 0009).
import type { Tier } from "../catalog/types.ts";
import type { Slot } from "../ledger/ledger.ts";
import { assertAllowed } from "./tier-limits.ts";

export type AudioKind = "transcription" | "understanding" | "speech";

/** Audio calls of all kinds together. */
export const audioGroup = "audio";

/** Fails with permission_denied where the tier has none. */
export function slotOf(tiers: readonly Tier[], tier: Tier, kind: AudioKind): Slot {
  const slots = (one: Tier) => Math.min(one.audio_concurrent, one.audio_concurrent_per_capability[kind]);
  assertAllowed(tiers, tier, audioNames[kind], slots);
  return { pool: kind, poolMax: tier.audio_concurrent_per_capability[kind], group: audioGroup, groupMax: tier.audio_concurrent };
}

const audioNames: Record<AudioKind, string> = {
  transcription: "transcriptions",
  understanding: "audio understanding",
  speech: "speech, music or sound effects",
};

/** Fails with permission_denied where the tier has no slot for such jobs: no waiting would bring one. */
export function assertMediaSlots(tiers: readonly Tier[], tier: Tier, kind: "image" | "video"): void {
  assertAllowed(tiers, tier, `${kind} jobs`, (one) => Math.min(mediaSlots(one, kind), ownSlots(one, kind)));
}

/** The highest tier has one pool for both kinds. */
export function sharesMediaPool(tier: Tier): boolean {
  return tier.combined_media_concurrent !== undefined;
}

/** How many jobs of the kind run at once, where both share a pool together with the other's. */
export function mediaSlots(tier: Tier, kind: "image" | "video"): number {
  return tier.combined_media_concurrent ?? ownSlots(tier, kind);
}

function ownSlots(tier: Tier, kind: "image" | "video"): number {
  return kind === "image" ? tier.image_concurrent : tier.video_concurrent;
}
