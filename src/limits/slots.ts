// The pool of slots that a kind of work uses, and its size (docs/behaviour/limits.md#slots). An audio call's slot lives and ends with its
// hold (src/ledger); media jobs are counted themselves (media_submit).
import type { Tier } from "../catalog/types.ts";
import { fail } from "../errors/fail.ts";
import type { Slot } from "../ledger/reserve.ts";

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

/** Fails with permission_denied where the tier has no slot for such jobs, since waiting would not help. */
export function assertMediaSlots(tiers: readonly Tier[], tier: Tier, kind: "image" | "video"): void {
  assertAllowed(tiers, tier, `${kind} jobs`, (one) => Math.min(mediaSlots(one, kind), ownSlots(one, kind)));
}

/** Whether images and videos share one pool, as they do in the highest tier. */
export function sharesMediaPool(tier: Tier): boolean {
  return tier.combined_media_concurrent !== undefined;
}

/** How many jobs of the kind may run at once; in a shared pool, together with the other kind's. */
export function mediaSlots(tier: Tier, kind: "image" | "video"): number {
  return tier.combined_media_concurrent ?? ownSlots(tier, kind);
}

function ownSlots(tier: Tier, kind: "image" | "video"): number {
  return kind === "image" ? tier.image_concurrent : tier.video_concurrent;
}

// Refuses what a tier forbids: a limit of 0 never has room (docs/behaviour/limits.md#blocked), so the refusal names the deposit that lifts it,
// or the operator where no higher tier allows it.

/** `figureOf` reads the limit off a tier; `what` names it in the plural, e.g. "video jobs". */
export function assertAllowed(tiers: readonly Tier[], tier: Tier, what: string, figureOf: (tier: Tier) => number): void {
  if (figureOf(tier) > 0) return;
  const higher = tiers.filter((other) => other.min_deposit > tier.min_deposit);
  const lifting = higher.filter((other) => figureOf(other) > 0).map(({ min_deposit }) => min_deposit);
  const remedy = lifting.length === 0 ? "only the operator can lift this" : `deposits of ${Math.min(...lifting)} USD in total lift this`;
  fail("permission_denied", { text: { reason: `tier ${tier.tier} (${tier.name}) allows no ${what}; ${remedy}` } });
}
