// What a tier forbids altogether: a limit of 0 blocks and no waiting lifts it (PEERS.md 2.6), so the refusal names the deposit that does,
// or the operator where no higher tier allows it.
import type { Tier } from "../catalog/types.ts";
import { fail } from "../errors/fail.ts";

/** `figureOf` reads the limit off a tier; `what` names it in the plural, e.g. "video jobs". */
export function assertAllowed(tiers: readonly Tier[], tier: Tier, what: string, figureOf: (tier: Tier) => number): void {
  if (figureOf(tier) > 0) return;
  const higher = tiers.filter((other) => other.min_deposit > tier.min_deposit);
  const lifting = higher.filter((other) => figureOf(other) > 0).map(({ min_deposit }) => min_deposit);
  const remedy = lifting.length === 0 ? "only the operator can lift this" : `deposits of ${Math.min(...lifting)} USD in total lift this`;
  fail("permission_denied", { text: { reason: `tier ${tier.tier} (${tier.name}) allows no ${what}; ${remedy}` } });
}
