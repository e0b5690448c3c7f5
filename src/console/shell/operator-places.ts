// The operator's places: their file is loaded for operators alone.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../lib/queries.ts";
import type { Place } from "./places.ts";

const placesQuery = queryOptions({
  queryKey: ["operator-places"],
  queryFn: async (): Promise<readonly Place[]> => (await import("../operator/places.ts")).operatorPlaces,
  staleTime: Infinity,
});

/** Empty for people who are not operators. */
export function useOperatorPlaces(): readonly Place[] {
  const enabled = useQuery(sessionQuery).data?.operator !== undefined;
  const { data } = useQuery({ ...placesQuery, enabled });
  return enabled ? (data ?? []) : [];
}
