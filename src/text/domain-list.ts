// A list of domains, as a setting or in a file: one a line or separated by commas; what follows a # is a comment. And a list of name servers.
import { Resolver } from "node:dns";
import { readFileSync } from "node:fs";
import { isDomain } from "./email-address.ts";

/** `text`: the domains, or the path of a file that has them, which begins with / or a dot. Throws for what is no domain, and for a file that can't be read. */
export function readDomains(text: string | null, name: string): ReadonlySet<string> {
  if (text === null) return new Set();
  const isFile = /^[/.]/.test(text);
  const content = isFile ? readList(text, name) : text;
  const domains = content
    .split("\n")
    .flatMap((line) => line.replace(/#.*/, "").split(","))
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== "");
  const wrong = domains.find((domain) => !isDomain(domain));
  if (wrong !== undefined) throw new Error(`${name}${isFile ? ` (the file ${text})` : ""}: "${wrong}" is not a domain`);
  return new Set(domains);
}

function readList(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${name} can't be read`, { cause: error });
  }
}

/** Written into the setting itself; null: not set. */
export function domainList(text: string | null, name: string): string[] | null {
  if (text === null) return null;
  const domains = text.split(",").map((domain) => domain.trim().toLowerCase());
  const wrong = domains.find((domain) => !isDomain(domain));
  if (wrong !== undefined)
    throw new Error(`${name} must be domains with commas between them, such as example.com,example.org; "${wrong}" is not a domain`);
  return domains;
}

/** The domain or one above it. */
export function isListed(domains: ReadonlySet<string>, domain: string): boolean {
  const labels = domain.split(".");
  return labels.some((_, index) => domains.has(labels.slice(index).join(".")));
}

/** IP addresses with commas between them, each with a port or without. */
export function readNameServers(text: string | null, name: string): string[] {
  const servers = text === null ? [] : text.split(",").map((one) => one.trim());
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    throw new Error(`${name} must be IP addresses with commas between them, such as 1.1.1.1,[2606:4700::1111]:53, not "${text}"`);
  }
}
