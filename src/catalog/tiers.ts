// Which tier an account has: by the money it ever added, at once (WIRE.md 14 row 62). Leaves the matrix to the catalog file
// and what a tier allows to the limits.
import type { Amount } from "../money.ts";
import type { Catalog, Tier } from "./types.ts";

/** The highest tier whose deposit is reached; an operator's rows may stand in any order (OPERATOR.md, catalog file). */
export function tierOf(catalog: Pick<Catalog, "tiers">, purchased: Amount): Tier {
  let reached: Tier | undefined;
  let lowest: Tier | undefined;
  for (const tier of catalog.tiers) {
    if (lowest === undefined || tier.tier < lowest.tier) lowest = tier;
    if (depositOf(tier) <= purchased && (reached === undefined || tier.tier > reached.tier)) reached = tier;
  }
  const found = reached ?? lowest;
  if (found === undefined) throw new Error("the catalog has no tiers");
  return found;
}

function depositOf(tier: Tier): Amount {
  return BigInt(Math.round(tier.min_deposit * 1e8));
}
