// The tier of an account by the catalog of this environment. Reads only the file's tiers: a fault elsewhere in the catalog must not
// prevent an operator from seeing an account.
import { readFileSync } from "node:fs";
import { parseCatalogText } from "../catalog/parse.ts";
import { shippedTiers, tierOf } from "../catalog/tiers.ts";
import type { Tier } from "../catalog/types.ts";
import type { Config } from "../config.ts";
import type { Amount } from "../money.ts";

export function tierNumber(config: Config, purchased: Amount): number {
  return tierOf({ tiers: tiersOf(config.catalogPath) }, purchased).tier;
}

/** The catalog's, or the shipped ones. */
export function tiersOf(path: string | null): readonly Tier[] {
  if (path === null) return shippedTiers; // the shipped catalog has no tiers of its own
  const text = readFileSync(path, "utf8");
  if (!/\btiers\b/.test(text)) return shippedTiers;
  const { tiers } = (parseCatalogText(text).value ?? {}) as { tiers?: Tier[] };
  return Array.isArray(tiers) && tiers.length > 0 ? tiers : shippedTiers;
}
