// What is read from the API, by name, and what happens when the session ends while a person works.
import { MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";
import {
  getAuthOptions,
  getCreditBalance,
  getLimits,
  listApiKeys,
  listModels,
  listTiers,
  listUsageLogs,
  SvcError,
} from "svc-sdk/functions";
import { api, loadSession } from "./api.ts";
import { noteUnavailable } from "./reach.ts";

type Ended = () => void;
let whenEnded: Ended = () => undefined;

/** `ended` leads to the sign-in. */
export function onSessionEnd(ended: Ended): void {
  whenEnded = ended;
}

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      noteUnavailable(error);
      if (queryKey[0] !== "session" && isSignedOut(error)) whenEnded();
    },
  }),
  // The SDK repeats what may be repeated. Asked is also where the browser thinks that it is offline: then the page says so (reach.ts).
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, networkMode: "always" },
    mutations: { networkMode: "always", onError: (error) => void (isSignedOut(error) && whenEnded()) },
  },
  mutationCache: new MutationCache({ onError: noteUnavailable }),
});

export function isSignedOut(error: unknown): boolean {
  return SvcError.is(error) && error.status === 401;
}

/** For what is read beside queries and changes. */
export function noteSessionEnd(error: unknown): void {
  if (isSignedOut(error)) whenEnded();
}

export const sessionQuery = queryOptions({ queryKey: ["session"], queryFn: loadSession, staleTime: 60_000 });
/** The same for everyone: how people sign in, and the operator's notice. */
export const authOptionsQuery = queryOptions({ queryKey: ["auth-options"], queryFn: () => getAuthOptions(api), staleTime: 60_000 });
export const balanceQuery = queryOptions({ queryKey: ["balance"], queryFn: () => getCreditBalance(api) });
/** The newest requests. */
export const recentQuery = queryOptions({
  queryKey: ["logs", "recent"],
  queryFn: () => listUsageLogs(api, { limit: 8 }).then((page) => page.data),
});
export const limitsQuery = queryOptions({ queryKey: ["limits"], queryFn: () => getLimits(api) });
export const tiersQuery = queryOptions({ queryKey: ["tiers"], queryFn: () => listTiers(api), staleTime: 300_000 });
export const keysQuery = queryOptions({ queryKey: ["keys"], queryFn: () => listApiKeys(api).then((list) => list.data) });
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: () => listModels(api).then((list) => list.data),
  staleTime: 300_000,
});
