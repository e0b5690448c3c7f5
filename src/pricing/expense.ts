// What one attempt at an upstream costs the operator, by its route's cost in the catalog (docs/behaviour/billing.md#expenses). Pure; rounded
// up once.
import type { RouteCost } from "../catalog/types.ts";
import { type Amount, costOfRates, million, type Price, type RateLine } from "../money.ts";
import { noToolCalls, toolsIn, type Usage } from "../usage.ts";
import type { AudioCharge } from "./audio-cost.ts";

/** What an attempt used; absent figures are 0. */
export interface Used {
  usage?: Usage;
  /** The service tier that was sent to the provider, where its answer names none. */
  tier?: string | null;
  images?: number;
  seconds?: number;
  minutes?: number;
  characters?: number;
}

export function expenseOf(cost: RouteCost, { usage, tier = null, images = 0, seconds = 0, minutes = 0, characters = 0 }: Used): Amount {
  return costOfRates([
    ...(usage === undefined ? [] : tokenLines(cost, usage, usage.serviceTier ?? tier)),
    line(1, cost.request),
    line(images, cost.image),
    { units: BigInt(Math.round(seconds * 1000)), price: cost.second, per: 1000n },
    line(minutes, cost.minute),
    line(characters, cost.character),
  ]);
}

function tokenLines(cost: RouteCost, usage: Usage, tier: string | null): RateLine[] {
  const { input, cacheRead, cacheWrite, cacheWriteHour = 0, output, toolCalls = noToolCalls } = usage;
  const rates = cost.long !== undefined && input + cacheRead + cacheWrite > cost.long.above ? cost.long : cost;
  const multiple = (tier === null ? undefined : cost.tiers?.get(tier)) ?? million;
  const tokens = (units: number, price: Price) => line(units, (price * multiple) / million); // exact: src/catalog/route-cost.ts
  return [
    tokens(input, rates.input),
    tokens(cacheRead, rates.cacheRead),
    tokens(cacheWrite - cacheWriteHour, rates.cacheWrite),
    tokens(cacheWriteHour, rates.cacheWriteHour),
    tokens(output, rates.output),
    ...(toolCalls === noToolCalls ? [] : toolsIn(toolCalls)).map((tool) => line(toolCalls[tool]!, cost.toolCalls[tool] ?? 0n)),
  ];
}

function line(units: number, price: Price): RateLine {
  return { units: BigInt(units), price, per: 1n };
}

/** Audio is measured as it is billed; songs and calls have a cost per request alone. */
export function usedByAudio({ prices, units }: AudioCharge): Used {
  switch (prices.unit) {
    case "minute":
      return { minutes: units };
    case "character":
      return { characters: units };
    case "second":
      return { seconds: units };
    case "song":
    case "call":
      return {};
  }
}
