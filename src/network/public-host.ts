// Decides by its form alone whether a host may be on the internet; nothing is resolved. Refuses names that only a private network
// answers, and names that spell a private address for a public name server to repeat.
import { isIP } from "node:net";
import { isPublicAddress, isPublicOrPrivateAddress } from "./address.ts";

/**
 * Top-level names that lead into a private network: reserved ones, those that routers and companies use, and those of cluster
 * and container networks, with or without the rest of the cluster's domain.
 */
const internalName =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|svc|svc\.cluster|pod|cluster|consul|kubernetes|docker|onion)$/;

/** Public zones that answer with the address that a name spells, or with loopback always. */
const echoZones =
  /(?:^|\.)(?:nip\.io|sslip\.io|xip\.io|xip\.name|nip\.direct|ip6\.name|backname\.io|traefik\.me|localtest\.me|lvh\.me|vcap\.me|fuf\.me|lacolhost\.com|local\.gd|localho\.st|yoogle\.com|127-0-0-1\.org\.uk|rbndr\.us|1u\.ms|rebind\.network)$/;

/** Four numbers, by dots or by dashes, wherever they stand in a name. */
const spelled = /(?<![0-9])(\d{1,3})([.-])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?![0-9])/g;
/** Loopback and the clouds' metadata service in hexadecimal; of other addresses eight such digits may as well be a version. */
const spelledInHex = /(?<![0-9a-f])(?:7f000001|a9fea9fe)(?![0-9a-f])/;

/** `host` as URL gives it, an IPv6 address without its brackets. `allowPrivate`: the operator opened private networks. */
export function isPublicHost(host: string, { allowPrivate }: { allowPrivate: boolean }): boolean {
  const name = host.replace(/\.+$/, "").toLowerCase();
  if (isIP(name) !== 0) return allowPrivate ? isPublicOrPrivateAddress(name) : isPublicAddress(name);
  if (name === "") return false;
  return allowPrivate || (name.includes(".") && !internalName.test(name) && !echoZones.test(name) && !spellsPrivate(name));
}

function spellsPrivate(name: string): boolean {
  if (spelledInHex.test(name)) return true;
  return [...name.matchAll(spelled)].some(([, a, , b, c, d]) => {
    const numbers = [a, b, c, d].map(Number);
    return numbers.every((number) => number < 256) && !isPublicAddress(numbers.join("."));
  });
}
