// Which hosts and addresses the gateway, or a provider on its behalf, may connect to when a caller names them
// (docs/behaviour/media-jobs.md#sources).
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { failParameter } from "../errors/fail.ts";

/** The IPv6 range that is routed on the internet today; without it the IPv4-compatible `::7f00:1` would count as unicast. */
const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Ranges that an operator may open. Link-local is never opened, because the clouds' metadata services are there. */
const privateRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);

/** The metadata services inside such a range: of AWS, Google, Oracle and Alibaba. */
const metadataServices = new Set(["fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "100.100.100.200"]);

/** False for everything that is not clearly one host on the internet, and for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  // The package also accepts forms that only some systems take for addresses (`1.2.3`, `010.0.0.1`).
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

/** For upstreams that may be on a network of the operator's. */
export function isPublicOrPrivateAddress(address: string): boolean {
  return isPublicAddress(address) || isPrivateAddress(address);
}

/** The host that a URL names; an IPv6 address without its brackets. */
export function hostOf({ hostname }: Pick<URL, "hostname">): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

// Decides by its form alone whether a host may be on the internet; nothing is resolved. Refuses names that only a private network
// answers, and names that contain a private address for a public name server to return.

/**
 * Top-level names that lead into a private network: reserved ones, those that routers and companies use, and those of cluster
 * and container networks, with or without the rest of the cluster's domain.
 */
const internalName =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|intra|private|corp|home|lan|arpa|svc|svc\.cluster|pod|cluster|default|consul|kubernetes|docker|onion)$/;

/** The internet's top-level names are letters; a cluster's namespaces, such as `kube-system`, may have hyphens and digits. */
const topLevel = /\.(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;

/** Public zones that answer with the address in the name, or always with loopback. */
const echoZones =
  /(?:^|\.)(?:nip\.io|sslip\.io|xip\.io|xip\.name|nip\.direct|ip6\.name|backname\.io|traefik\.me|localtest\.me|lvh\.me|vcap\.me|fuf\.me|lacolhost\.com|local\.gd|localho\.st|yoogle\.com|127-0-0-1\.org\.uk|rbndr\.us|1u\.ms|rebind\.network)$/;

/** Four numbers, separated by dots or dashes, anywhere in a name. */
const spelled = /(?<![0-9])(\d{1,3})([.-])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?![0-9])/g;
/** Loopback and the clouds' metadata service in hexadecimal; for other addresses, eight such digits may just as well be a version. */
const spelledInHex = /(?<![0-9a-f])(?:7f000001|a9fea9fe)(?![0-9a-f])/;

/** `host` as URL gives it, an IPv6 address without its brackets. `allowPrivate`: the operator opened private networks. */
export function isPublicHost(host: string, { allowPrivate }: { allowPrivate: boolean }): boolean {
  const name = host.replace(/\.+$/, "").toLowerCase();
  if (isIP(name) !== 0) return allowPrivate ? isPublicOrPrivateAddress(name) : isPublicAddress(name);
  if (name === "") return false;
  return allowPrivate || (topLevel.test(name) && !internalName.test(name) && !echoZones.test(name) && !spellsPrivate(name));
}

function spellsPrivate(name: string): boolean {
  if (spelledInHex.test(name)) return true;
  return [...name.matchAll(spelled)].some(([, a, , b, c, d]) => {
    const numbers = [a, b, c, d].map(Number);
    return numbers.every((number) => number < 256) && !isPublicAddress(numbers.join("."));
  });
}

// Checks, by their form, the addresses of files that a caller gives and a provider loads. src/media checks again, after resolving them,
// the addresses that the gateway itself loads.

/** Longer than any signed address; addresses are stored with the job. */
const lengthMax = 8192;

export interface AddressPolicy {
  /** Accepts private hosts, for tests; HTTPS is still required. */
  allowPrivateUrls: boolean;
}

/** The address as the URL parser writes it, so that the checked address is the loaded one. Fails with invalid_parameter naming `param`. */
export function readSourceAddress(text: string, param: string, { allowPrivateUrls }: AddressPolicy): string {
  if (text.length > lengthMax) failParameter(param, `it must have at most ${lengthMax} characters`);
  const url = URL.parse(text);
  if (url === null || url.protocol !== "https:") return failParameter(param, "it must be an HTTPS address");
  if (url.username !== "" || url.password !== "") failParameter(param, "it must carry no user name or password");
  if (!isPublicHost(hostOf(url), { allowPrivate: allowPrivateUrls })) failParameter(param, "it must name a public host");
  return url.href;
}

/** Up to the end of its host, an address that every parser reads the same way: no blanks, no escapes, no second `@`, no backslash. */
const plainHost = /^https:\/\/[^\s\p{Cc}/?#\\@%]+(?:[/?#]|$)/iu;

/** An address that is forwarded as it was sent: the provider's own parser must find the host that was checked here. Accepts data URLs. */
export function assertSentAddress(text: string, param: string, policy: AddressPolicy): void {
  if (/^data:/i.test(text)) return;
  if (!/^https:/i.test(text)) failParameter(param, "it must be an https:// address or a data URL");
  readSourceAddress(text, param, policy);
  if (!plainHost.test(text)) failParameter(param, "its host must be written plainly");
}

/**
 * How an address begins. URL parsers leave out blanks and controls before it, and tabs and line breaks inside it. What follows is not read,
 * so that a long text costs nothing.
 */
const addressStart = /^[\s\p{Cc}]*([a-z](?:[\t\n\r]*[a-z0-9+.-]){0,31})[\t\n\r]*:(?:[\t\n\r]*(\/[\t\n\r]*\/))?/iu;

/** Schemes that are loaded without slashes too. */
const loadedSchemes: ReadonlySet<string> = new Set(["http", "https", "ftp", "ftps", "file", "gs", "s3", "blob"]);

/** Whatever follows the address. */
export function startsAsAddress(text: string): boolean {
  const start = addressStart.exec(text);
  if (start === null) return false;
  const [found, scheme = "", slashes] = start;
  if (slashes !== undefined) return true;
  if (!loadedSchemes.has(scheme.replace(/[\t\n\r]/g, "").toLowerCase())) return false;
  const rest = text.slice(found.length);
  // "File:" above a text is a heading.
  return /^\S/.test(rest) || !/\s/.test(rest.replace(/^[\t\n\r]+/, "").trimEnd());
}

/** Without words after it. */
export function isAddress(text: string): boolean {
  return startsAsAddress(text) && !/\s/.test(text.trim());
}

/** For a text that starts as an address and can't be words. */
export function assertMediaAddress(text: string, param: string, policy: AddressPolicy): void {
  assertSentAddress(text, param, policy);
  if (/[\s\p{Cc}]/u.test(text.trimEnd())) failParameter(param, "it must hold no blanks");
}

/**
 * A host at the start of words that no parser reads in another way: what follows ends it, or is words, which are no part of any host. Only
 * a bare host may be http: no parser loads it with the words.
 */
const hostBeforeWords =
  /^(?:https:\/\/[^\s\p{Cc}/?#\\@%]{1,300}[/?#]|https?:\/\/[^\s\p{Cc}/?#\\@%]{1,300}[ \t\n\r][^/?#\\@]*(?:[/?#]|$))/iu;

/** For a text that starts as an address and may go on in words, as a prompt does. */
export function assertAddressInWords(text: string, param: string, policy: AddressPolicy): void {
  if (isAddress(text)) return assertSentAddress(text, param, policy);
  const start = hostBeforeWords.exec(text.trim());
  if (start === null) return failParameter(param, "it may start only with an https:// address whose host is written plainly");
  // Some parsers end the host at a line break, some leave the break out; none finds a host with a blank.
  const joined = start[0].replace(/[\t\n\r]/g, "");
  for (const read of joined.includes(" ") ? [start[0]] : [start[0], joined]) {
    const [address = ""] = read.split(/\s/, 1);
    const withoutComma = address.replace(/[^\p{L}\p{N}\]]{1,9}$/u, "");
    readSourceAddress(withoutComma.replace(/^http:/i, "https:"), param, policy);
  }
}

/** Where a file is on the machine that reads it: from its root, its folder, a home or a drive. */
const pathStart = /^\s*(?:\.{0,2}[/\\]|~\w*[/\\]|[a-z]:[/\\])/i;
/** No system opens a longer one. */
const pathMax = 4096;
const base64 = /^[A-Za-z0-9+/\s]+={0,2}$/;

/** Base64 may begin as a path does (a JPEG's with `/9j/`). It has capitals or its padding; `/etc/passwd` has neither. */
export function isPath(text: string): boolean {
  if (!pathStart.test(text)) return false;
  const path = text.trim();
  if (path.length >= pathMax) return false;
  return !(base64.test(path) && /[A-Z]|=$|^\/{4,}$/.test(path));
}

/** For settings that each provider reads in its own way: any text in them that starts as an address, whatever its name, may be loaded. */
export function assertNestedAddresses(value: unknown, path: string, policy: AddressPolicy): void {
  if (typeof value === "string") {
    if (startsAsAddress(value)) assertAddressInWords(value, path, policy);
  } else if (Array.isArray(value)) value.forEach((item, index) => assertNestedAddresses(item, `${path}[${index}]`, policy));
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) assertNestedAddresses(member, `${path}.${name}`, policy);
}
