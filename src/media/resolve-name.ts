// Names to addresses, in the two ways we need: for addresses that callers give, and for those of the operator's providers.
import type { LookupAddress } from "node:dns";
import { Resolver, lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** All addresses of a name; throws where there is none. */
export type ResolveName = (name: string) => Promise<LookupAddress[]>;

/** As the machine itself resolves: its hosts file and search domains count. */
export const resolveAsSystem: ResolveName = (name) => lookup(name, { all: true, order: "verbatim" });

/**
 * Asks the name servers alone. What callers name must not depend on this machine's hosts file and search domains, and a name
 * server of theirs that never answers must not hold one of the four threads that also read and write our files.
 */
export const resolveInPublic: ResolveName = (name) => resolveAt(new Resolver(patience), name);

/** A server that is silent is asked twice. */
const patience = { timeout: 2_000, tries: 2 };

/** Both families at once; one of them is enough. */
export async function resolveAt(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [four, six].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length === 0) throw four.status === "rejected" ? four.reason : new Error("the name has no address");
  return found.map((address) => ({ address, family: isIP(address) }));
}
