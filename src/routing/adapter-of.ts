// Which adapter serves a verb on a candidate's route.
import { type Protocol, UpstreamError } from "../providers/types.ts";
import type { Candidate } from "./candidates.ts";

/** A route of a protocol that has no adapter for the verb serves nothing. */
export function adapterOf<Adapter>(adapters: Partial<Record<Protocol, Adapter>>, { route }: Pick<Candidate, "route">): Adapter {
  const { protocol } = route.provider;
  const adapter = adapters[protocol];
  if (adapter === undefined) throw new UpstreamError("gone", `nothing here is served over the protocol ${protocol}`);
  return adapter;
}
