// Where a provider is called and which headers every call of it carries, worked out once a provider.
// The names of the secrets' headers are fixed by OPERATOR.md, "The catalog file".
import type { Protocol, Provider } from "./types.ts";

export interface Target {
  origin: string;
  /** The base URL's path, without a trailing slash. */
  path: string;
  /** The base URL's query with its question mark, or "". */
  query: string;
  /** Name, value, name, value: the form that undici sends without another look. */
  headers: readonly string[];
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

/** Every model takes the older version; an operator's own header wins (WIRE.md 11.1). */
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

function authHeader(protocol: Protocol, apiKey: string): [string, string] {
  switch (protocol) {
    case "anthropic":
      return ["x-api-key", apiKey];
    case "fal":
      return ["authorization", `Key ${apiKey}`];
    case "elevenlabs":
      return ["xi-api-key", apiKey];
    default:
      return ["authorization", `Bearer ${apiKey}`];
  }
}
