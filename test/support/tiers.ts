// Tier rows for catalogs of tests whose business isn't limits, or is one limit alone.
import { shippedTiers } from "../../src/catalog/tiers.ts";
import type { Tier } from "../../src/catalog/types.ts";

const unreachable = { rpm: 1_000_000, per_model_rpm: 1_000_000, tpm: 1_000_000_000, max_single_request: 1_000_000_000 };

/** Whose rates no test reaches, but for what `more` says of every tier. */
export function highTiers(more: Partial<Tier> = {}): Tier[] {
  return shippedTiers.map((tier) => ({ ...tier, ...unreachable, ...more }));
}
