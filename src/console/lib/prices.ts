// What a model costs, in a line, from the price list that has every unit of billing.
import { queryOptions } from "@tanstack/react-query";
import { getPricing, type ModelRow } from "svc-sdk/functions";
import { api } from "./api.ts";
import { usd } from "./money.ts";

export const pricingQuery = queryOptions({ queryKey: ["pricing"], queryFn: () => getPricing(api), staleTime: 300_000 });

export type Pricing = Awaited<ReturnType<typeof getPricing>>;

/** Input and output per million tokens; another unit's price where the model is billed by it. */
export function priceLine({ id, pricing }: ModelRow, list: Pricing | undefined): string {
  if (pricing.mode === "per-token") {
    const output = pricing.output === 0 ? "" : ` in, ${usd(pricing.output)} out`;
    return `${usd(pricing.input)}${output} per 1M tokens`;
  }
  const row = list?.media.find((media) => media.id === id);
  return row === undefined ? units[pricing.mode] : `${usd(row.usd_per_call)} a usual call, billed ${units[pricing.mode]}`;
}

export const units: Record<ModelRow["pricing"]["mode"], string> = {
  "per-token": "per token",
  "per-image": "per image",
  "per-quality": "per image, by quality",
  "per-megapixel": "per megapixel",
  "per-second": "per second",
  "per-minute": "per minute",
  "per-1k-chars": "per 1,000 characters",
  "per-song": "per song",
  "per-call": "per call",
};
