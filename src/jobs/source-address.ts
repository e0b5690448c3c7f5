// Addresses of files that a caller gives and a provider loads: checked by their form only (OPERATOR.md, reference URLs; WIRE.md 14 row 25).
// What the gateway loads itself is checked again, by where it leads, in src/media.
import { isIP } from "node:net";
import { failParameter } from "../fail.ts";
import { hostOf, isPublicAddress, isPublicOrPrivateAddress } from "../network-address.ts";

/** Longer than any signed address; they are kept with the job. */
const lengthMax = 8192;
const privateNames = /(^|\.)(localhost|localdomain|local|internal)$/;

/**
 * The address as a reader of addresses writes it, so that what was checked is what is loaded. Fails with invalid_parameter naming `param`.
 * `allowPrivate`: private hosts pass, for tests; HTTPS it must be all the same.
 */
export function readSourceAddress(text: string, param: string, { allowPrivate }: { allowPrivate: boolean }): string {
  if (text.length > lengthMax) failParameter(param, `it must have at most ${lengthMax} characters`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== "https:") return failParameter(param, "it must be an HTTPS address");
  if (url.username !== "" || url.password !== "") failParameter(param, "it must carry no user name or password");
  if (!mayBeAsked(hostOf(url), allowPrivate)) failParameter(param, "it must name a public host");
  return url.href;
}

/** `host` as URL gives it: decimal and hexadecimal forms of an IPv4 address are dotted by then. */
function mayBeAsked(host: string, allowPrivate: boolean): boolean {
  const name = host.replace(/\.+$/, "");
  if (isIP(name) !== 0) return allowPrivate ? isPublicOrPrivateAddress(name) : isPublicAddress(name);
  return name !== "" && (allowPrivate || !privateNames.test(name));
}
