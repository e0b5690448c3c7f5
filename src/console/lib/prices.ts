// What a model costs, in a line, from the price list that has every unit of billing; and which models an account is refused that never
// added credit: those beyond the free tier.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { getPricing, type ModelRow } from "svc-sdk/functions";
import { api } from "./api.ts";
import { usd } from "./money.ts";
import { limitsQuery } from "./queries.ts";

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

const units: Record<ModelRow["pricing"]["mode"], string> = {
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

/** Undefined: not known yet. Where it can't be read at once, nothing is said to be refused, so that no page waits: the gateway decides. */
export function useHasCredits(): boolean | undefined {
  // Not asked again by what is shown because it failed: that would be taken away, and come back, for ever.
  const { data, failureReason } = useQuery({ ...limitsQuery, retryOnMount: false });
  return data?.has_credits ?? (failureReason === null ? undefined : true);
}

export const needsCredit = (model: ModelRow, hasCredits: boolean | undefined): boolean => hasCredits === false && !model.free_tier;

/** Those that may be called come first, so that what is chosen by itself answers. */
export function callableFirst(models: readonly ModelRow[], hasCredits: boolean): readonly ModelRow[] {
  return [false, true].flatMap((refused) => models.filter((model) => needsCredit(model, hasCredits) === refused));
}
