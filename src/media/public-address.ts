// Which addresses of the network may be connected to for somebody else's sake (WIRE.md 14 row 25).
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** All that is routed on the internet today; without it the IPv4-compatible `::7f00:1` would count as unicast. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Ranges that an operator may open. Link-local never is: there stand the clouds' metadata services. */
const privateRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);

/** False for everything that is not plainly one host on the internet, and for what is no address at all. */
export function isPublicAddress(address: string): boolean {
  // The package also reads forms that only some systems take for addresses (`1.2.3`, `010.0.0.1`).
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(globalUnicast);
}

/** Loopback and the ranges of private networks, also where IPv6 wraps an IPv4 address. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && privateRanges.has(ipaddr.process(address).range());
}
