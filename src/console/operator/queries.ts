// What several of the operators' pages read, by name.
import { queryOptions } from "@tanstack/react-query";
import { getOperatorLedger, listProviders } from "svc-sdk/operator";
import { api } from "../lib/api.ts";

export const providersQuery = queryOptions({
  queryKey: ["operator", "providers"],
  queryFn: () => listProviders(api).then((list) => list.data),
  refetchInterval: 15_000,
});

export const ledgerQuery = queryOptions({
  queryKey: ["operator", "ledger"],
  queryFn: () => getOperatorLedger(api),
});
