// Which models an account is refused that never added credit: those beyond the free tier.
import { useQuery } from "@tanstack/react-query";
import type { ModelRow } from "svc-sdk/functions";
import { limitsQuery } from "./queries.ts";

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
