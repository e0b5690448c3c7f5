// Which network addresses the gateway may connect to when a caller names them (docs/behaviour/media-jobs.md#sources).
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All that is routed on the internet today; without it the IPv4-compatible `::7f00:1` would count as unicast. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Ranges that an operator may open. Link-local never is: there stand the clouds' metadata services. */
const privateRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);

/** The metadata services inside such a range: of AWS, Google, Oracle and Alibaba. */
const metadataServices = new Set(["fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "100.100.100.200"]);

/** False for everything that is not plainly one host on the internet, and for text that is no address. */
export function isPublicAddress(address: string): boolean {
  // The package also reads forms that only some systems take for addresses (`1.2.3`, `010.0.0.1`).
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}

/** Loopback and the ranges of private networks, also where IPv6 wraps an IPv4 address. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  return privateRanges.has(parsed.range()) && !metadataServices.has(parsed.toString());
}

/** Where the other side may stand on a network of the operator's. */
export function isPublicOrPrivateAddress(address: string): boolean {
  return isPublicAddress(address) || isPrivateAddress(address);
}

/** The host that a URL names; an IPv6 address without its brackets. */
export function hostOf({ hostname }: Pick<URL, "hostname">): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
