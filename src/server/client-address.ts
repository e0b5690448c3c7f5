// Where a request comes from: the connection, or what as many proxies as the operator trusts say (SVC_TRUSTED_PROXIES).
// A client may send an X-Forwarded-For of its own: only the entries that trusted proxies added, at its end, are believed.
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

export function clientAddress(req: Pick<IncomingMessage, "headers" | "socket">, trustedProxies: number): string {
  const connected = req.socket.remoteAddress ?? "";
  if (trustedProxies === 0) return connected;
  const header = req.headers["x-forwarded-for"];
  const hops = (typeof header === "string" ? header : "").split(",").map(withoutPort).reverse();
  let address = connected;
  for (const hop of hops.slice(0, trustedProxies)) {
    if (isIP(hop) === 0) break; // what stands left of it was said by nobody trusted
    address = hop;
  }
  return address;
}

/** Some proxies write `1.2.3.4:5678` or `[2001:db8::1]:5678`. */
function withoutPort(entry: string): string {
  const text = entry.trim();
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** One client for a limit: an IPv4 address, or the /64 of an IPv6 one, which is what a single customer has. */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
  if (isIP(plain) !== 6) return plain;
  // A URL's host is the address in its one canonical form, with at most one "::".
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
