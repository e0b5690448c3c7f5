// Which hosts and addresses a download may use: one policy for callers' URLs, one for files that the operator's providers made.
import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { hostOf, isPrivateAddress, isPublicAddress, isPublicHost, isPublicOrPrivateAddress } from "../network/address.ts";
import type { Provider } from "../providers/types.ts";

export interface FetchPolicy {
  protocols: readonly string[];
  /** Called for every host of a URL before its name is resolved. */
  allowsHost: (host: string) => boolean;
  /** Called for every address before a connection is made. */
  allows: (address: string) => boolean;
  resolve: ResolveName;
}

/** HTTPS only; any port, since only TLS is spoken there. The operator may allow private networks for tests. */
export function callerPolicy(allowPrivateUrls: boolean): FetchPolicy {
  const allowsHost = (host: string) => isPublicHost(host, { allowPrivate: allowPrivateUrls });
  return allowPrivateUrls
    ? { protocols: ["https:"], allowsHost, allows: isPublicOrPrivateAddress, resolve: resolveAsSystem }
    : { protocols: ["https:"], allowsHost, allows: isPublicAddress, resolve: resolveInPublic };
}

/** A provider's file may be on any public host, on a private address only where the provider itself has one. */
export async function providerPolicy(provider: Pick<Provider, "baseUrl">, resolve: ResolveName): Promise<FetchPolicy> {
  const inside = await standsInside(hostOf(new URL(provider.baseUrl)), resolve);
  const allows = inside ? isPublicOrPrivateAddress : isPublicAddress;
  return { protocols: ["https:", "http:"], allowsHost: (host) => isIP(host) === 0 || allows(host), allows, resolve };
}

async function standsInside(host: string, resolve: ResolveName): Promise<boolean> {
  if (isIP(host) !== 0) return isPrivateAddress(host);
  // A provider whose name can't be resolved right now is treated as a public one: the stricter case.
  const addresses = await resolve(host).catch(() => []);
  return addresses.some(({ address }) => isPrivateAddress(address));
}

// Two ways to resolve names: one for callers' URLs, one for the operator's providers.

/** All addresses of a name; throws where there is none. */
export type ResolveName = (name: string) => Promise<LookupAddress[]>;

/** Like the machine itself, with its hosts file and search domains. */
export const resolveAsSystem: ResolveName = (name) => lookup(name, { all: true, order: "verbatim" });

/**
 * Asks only the name servers. Callers' names must not depend on this machine's hosts file and search domains, and a caller's name server
 * that never answers must not hold one of the four threads that also read and write our files.
 */
const resolveInPublic: ResolveName = (name) => resolveAt(new Resolver(dnsTimeouts), name);

/** A silent server is asked twice. */
const dnsTimeouts = { timeout: 2_000, tries: 2 };

/** Both families in parallel; one of them is enough. */
export async function resolveAt(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [four, six].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length === 0) throw four.status === "rejected" ? four.reason : new Error("the name has no address");
  return found.map((address) => ({ address, family: isIP(address) }));
}
