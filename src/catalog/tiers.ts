// Which tier an account has: decided by all the money it ever added, at once (docs/behaviour/limits.md#tiers). The catalog file owns
// the matrix; src/limits applies what a tier allows.
import type { Amount } from "../money.ts";
import type { Catalog, Tier } from "./types.ts";

/** The highest tier whose deposit is reached; an operator's rows may stand in any order. */
export function tierOf(catalog: Pick<Catalog, "tiers">, purchased: Amount): Tier {
  let reached: Tier | undefined;
  let lowest: Tier | undefined;
  const paid = Number(purchased); // deposits of tiers are below 2^53 units, where rounding keeps the order
  for (const tier of catalog.tiers) {
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
