// A provider's address and the headers of every call to it, computed once for each provider.
import { isIP } from "node:net";
import { hostOf, isPublicOrPrivateAddress } from "../../network/address.ts";
import { authHeader } from "../credentials/key-header.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Provider } from "../types.ts";
import type { UpstreamRequest } from "./types.ts";

interface Target {
  origin: string;
  /** The base URL's path, without a trailing slash. */
  path: string;
  /** The base URL's query with its question mark, or "". */
  query: string;
  /** Name, value, name, value: the form that undici sends without further checks. */
  headers: readonly string[];
}

/** Where one request goes. */
export interface Address {
  origin: string;
  /** With its query. */
  path: string;
  /** The provider answered with this address: it is not a base URL of the catalog file. */
  answered: boolean;
}

/** Throws UpstreamError for an absolute address that can't be called. */
export function addressOf({ provider, path }: Pick<UpstreamRequest, "provider" | "path">): Address {
  const target = targetOf(provider);
  if (path.startsWith("/")) {
    const query = path.includes("?") ? target.query.replace("?", "&") : target.query;
    return { origin: target.origin, path: target.path + path + query, answered: false };
  }
  const address = answeredAddress(path, provider);
  if (address === null) throw new UpstreamError("our_fault", "the provider's answer names an address that can't be called");
  const { origin, pathname, search } = new URL(address);
  return { origin, path: pathname + search, answered: origin !== target.origin };
}

/** An address is stored with its job; no real one is nearly as long. */
const addressCharacters = 2_048;

/**
 * The absolute form of an address that the provider answered with; null where it must not be called. The provider's key is sent to it, so
 * it is never plain HTTP where the base URL is HTTPS, and never a cloud's metadata service.
 */
export function answeredAddress(text: string, { baseUrl }: Provider): string | null {
  if (text.length > addressCharacters || !URL.canParse(text, baseUrl)) return null;
  const url = new URL(text, baseUrl);
  const safe = url.protocol === "https:" || (url.protocol === "http:" && baseUrl.startsWith("http:"));
  return safe && url.username === "" && url.password === "" && mayBeCalled(url, baseUrl) ? url.href : null;
}

/** The operator chose the base URL's own origin. Host names are not resolved here. */
function mayBeCalled(url: URL, baseUrl: string): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 || isPublicOrPrivateAddress(host) || url.origin === new URL(baseUrl).origin;
}

const targets = new WeakMap<Provider, Target>();

export function targetOf(provider: Provider): Target {
  let target = targets.get(provider);
  if (!target) {
    const url = new URL(provider.baseUrl);
    target = { origin: url.origin, path: url.pathname.replace(/\/+$/, ""), query: url.search, headers: headersOf(provider) };
    targets.set(provider, target);
  }
  return target;
}

/** Set by each call or by the HTTP layer; an operator's value would break the request. */
const ownHeaders = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "transfer-encoding",
  "x-request-id", // prettier-ignore
]);

/** Every model takes this older version; an operator's own header wins (docs/behaviour/providers.md#protocols). */
const anthropicVersion = "2023-06-01";

function headersOf(provider: Provider): string[] {
  const headers = new Map<string, string>([["user-agent", "svc-gateway/1"]]);
  if (provider.protocol === "anthropic") headers.set("anthropic-version", anthropicVersion);
  if (provider.apiKey !== null) headers.set(...authHeader(provider.protocol, provider.apiKey));
  for (const [name, value] of Object.entries(provider.headers)) {
    const lower = name.toLowerCase();
    if (!ownHeaders.has(lower)) headers.set(lower, value);
  }
  return [...headers].flat();
}
