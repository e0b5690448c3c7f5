// The pool of each kind of work, and what a limit of 0 says.
import { describe, expect, test } from "vitest";
import { shippedTiers } from "../../src/catalog/tiers.ts";
import type { Tier } from "../../src/catalog/types.ts";
import type { ApiError } from "../../src/errors/fail.ts";
import { assertMediaSlots, type AudioKind, mediaSlots, slotOf } from "../../src/limits/slots.ts";

const tier = (number: number, more: Partial<Tier> = {}): Tier => ({ ...shippedTiers[number]!, ...more });
const slot = (of: Tier, kind: AudioKind, tiers: readonly Tier[] = shippedTiers) => slotOf(tiers, of, kind);

describe("pools", () => {
  test.each([
    ["transcription", 10, 4],
    ["understanding", 10, 2],
    ["speech", 10, 4],
  ] as const)("%s has one of its own within audio", (kind, all, own) => {
    expect(slot(tier(1), kind)).toEqual({ pool: kind, poolMax: own, group: "audio", groupMax: all });
  });

  test("images and videos have one each, and at tier 4 one for both", () => {
    const of = (number: number) => [mediaSlots(tier(number), "image"), mediaSlots(tier(number), "video")];
    expect([of(1), of(4)]).toEqual([
      [5, 2],
      [38, 38],
    ]);
  });
});

describe("403 permission_denied: a concurrency of 0", () => {
  const reasonOf = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return [(error as ApiError).code, (error as ApiError).details.text?.reason];
    }
    return null;
  };

  test("names the deposit of the lowest tier that has some", () => {
    expect(reasonOf(() => assertMediaSlots(shippedTiers, tier(0), "video"))).toEqual([
      "permission_denied",
      "tier 0 (Free) allows no video jobs; deposits of 5 USD in total lift this",
    ]);
  });

  test("where there are slots, nothing is said", () => {
    expect(reasonOf(() => assertMediaSlots(shippedTiers, tier(0), "image"))).toBeNull();
    expect(reasonOf(() => assertMediaSlots(shippedTiers, tier(4), "video"))).toBeNull();
  });

  test("also where the whole group, or the shared pool, is 0; and says so where no higher tier has any", () => {
    const none = [tier(3, { audio_concurrent: 0, image_concurrent: 0 }), tier(4, { audio_concurrent: 0, combined_media_concurrent: 0 })];
    expect(reasonOf(() => slot(none[0]!, "speech", none))).toEqual([
      "permission_denied",
      "tier 3 (Growth) allows no speech, music or sound effects; only the operator can lift this",
    ]);
    expect(reasonOf(() => assertMediaSlots(none, none[1]!, "image"))?.[0]).toBe("permission_denied");
  });
});
