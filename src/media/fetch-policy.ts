// Whose addresses may lead where: what callers give, and what the operator's providers made.
import { isIP } from "node:net";
import { hostOf, isPrivateAddress, isPublicAddress, isPublicOrPrivateAddress } from "../network/address.ts";
import type { Provider } from "../providers/types.ts";
import { isPublicHost } from "../network/public-host.ts";
import { type ResolveName, resolveAsSystem, resolveInPublic } from "./resolve-name.ts";

export interface FetchPolicy {
  protocols: readonly string[];
  /** Asked of every host that an address names, before its name is resolved. */
  allowsHost: (host: string) => boolean;
  /** Asked of every address before it is connected to. */
  allows: (address: string) => boolean;
  resolve: ResolveName;
}

/** HTTPS only; any port, since nothing but TLS is spoken there. The operator may open private networks for tests. */
export function callerPolicy(allowPrivateUrls: boolean): FetchPolicy {
  const allowsHost = (host: string) => isPublicHost(host, { allowPrivate: allowPrivateUrls });
  return allowPrivateUrls
    ? { protocols: ["https:"], allowsHost, allows: isPublicOrPrivateAddress, resolve: resolveAsSystem }
    : { protocols: ["https:"], allowsHost, allows: isPublicAddress, resolve: resolveInPublic };
}

/** What a provider made may lie on any public host; on a private address only where the provider itself stands on one. */
export async function providerPolicy(provider: Pick<Provider, "baseUrl">, resolve: ResolveName): Promise<FetchPolicy> {
  const inside = await standsInside(hostOf(new URL(provider.baseUrl)), resolve);
  const allows = inside ? isPublicOrPrivateAddress : isPublicAddress;
  return { protocols: ["https:", "http:"], allowsHost: (host) => isIP(host) === 0 || allows(host), allows, resolve };
}

async function standsInside(host: string, resolve: ResolveName): Promise<boolean> {
  if (isIP(host) !== 0) return isPrivateAddress(host);
  // A provider whose name can't be resolved right now is treated as one outside: the stricter of the two.
  const addresses = await resolve(host).catch(() => []);
  return addresses.some(({ address }) => isPrivateAddress(address));
}
