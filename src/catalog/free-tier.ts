// Derives `free_tier` from a published price (cross-cutting rule 3), so that it follows a price change at once.
// Who may call what because of it is decided where requests are admitted.
import { priceFromUsd } from "../money.ts";
import type { Pricing } from "./types.ts";

/** The file's `free_tier`: USD per million tokens, per image, per minute. */
export interface FreeTierLimits {
  input: number;
  output: number;
  per_image: number;
  per_minute: number;
}

/** What holds where the file says nothing (OPERATOR.md, the example of the catalog file). */
export const shippedFreeTier: FreeTierLimits = { input: 0.1, output: 0.4, per_image: 0.01, per_minute: 0.001 };

/** At or below the limit; images strictly below it ("the sub-cent budget model"). Other modes are never free. */
export function isFree(pricing: Pricing, limits: FreeTierLimits): boolean {
  const perMillion = 1_000_000n;
  switch (pricing.mode) {
    case "per-token":
      return pricing.input <= priceFromUsd(limits.input, perMillion) && pricing.output <= priceFromUsd(limits.output, perMillion);
    case "per-image":
      return pricing.perImage < priceFromUsd(limits.per_image);
    case "per-minute":
      return pricing.perMinute <= priceFromUsd(limits.per_minute);
    case "per-quality":
    case "per-megapixel":
    case "per-second":
    case "per-1k-chars":
    case "per-song":
    case "per-call":
      return false;
  }
}
