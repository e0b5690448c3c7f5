// A provider's list of credentials in the catalog file: what is checked, and each of them as if it were the provider's only one. No secret
// is said again.
import { authHeader } from "../providers/credentials/key-header.ts";
import { identityFaults } from "./cloud-provider.ts";
import type { Fault, FileProvider, Path } from "./file.ts";

type Protocol = FileProvider["protocol"];
type FileCredential = NonNullable<FileProvider["credentials"]>[number];

/** The protocols whose calls stand alone. Elsewhere tickets and voices belong to the account that made them. */
const standAlone: readonly Protocol[] = ["openai", "anthropic", "gemini", "cohere", "azure-openai", "vertex", "bedrock", "rerank"];

/** Those where a machine may have an identity of its own, which needs no key. */
const ofMachines: readonly Protocol[] = ["vertex", "bedrock"];

/** Other ways to authorize. */
const otherWays = ["api_key_env", "entra", "access_key_id_env", "role_arn", "service_account_env"] as const;

/** What only one credential may name. */
const once = ["id", "api_key_env", "service_account_env"] as const;

export function credentialFaults(provider: FileProvider, path: Path): Fault[] {
  const { credentials, protocol } = provider;
  if (credentials === undefined) return [];
  const at = [...path, "credentials"];
  const faults = headerFaults(provider, path);
  if (!standAlone.includes(protocol))
    faults.push({ path: at, message: `are for ${standAlone.join(", ")}: over ${protocol} work belongs to one account` });
  const other = otherWays.find((key) => provider[key] !== undefined);
  if (other !== undefined) faults.push({ path: at, message: `is one way to authorize, ${other} is another: name one of them` });
  credentials.forEach((one, index) => {
    faults.push(...identityFaults(alone(provider, one), [...at, index]));
    if (one.api_key_env === undefined && one.entra === undefined && !ofMachines.includes(protocol))
      faults.push({ path: [...at, index], message: `needs api_key_env${protocol === "azure-openai" ? " or entra" : ""}` });
  });
  return [...faults, ...repeated(credentials, at)];
}

function headerFaults({ credentials = [], protocol, headers = {} }: FileProvider, path: Path): Fault[] {
  if (!standAlone.includes(protocol)) return [];
  const taken = [authHeader(protocol, "")[0], ...(credentials.some(({ entra }) => entra !== undefined) ? ["authorization"] : [])];
  return Object.keys(headers)
    .filter((name) => taken.includes(name.toLowerCase()))
    .map((name) => ({ path: [...path, "headers", name], message: "carries the credential: leave it to credentials" }));
}

function repeated(credentials: readonly FileCredential[], at: Path): Fault[] {
  const named = once.flatMap((key) => {
    const values = credentials.map((one) => one[key]);
    return values.flatMap((value, index): Fault[] =>
      value !== undefined && values.indexOf(value) < index ? [{ path: [...at, index, key], message: `"${value}" stands there twice` }] : [],
    );
  });
  if (named.length > 0) return named;
  const identities = credentials.map(({ id: _, weight: __, ...identity }) => JSON.stringify(Object.entries(identity).sort()));
  return identities.flatMap((identity, index): Fault[] => {
    const first = identities.indexOf(identity);
    return first < index ? [{ path: [...at, index], message: `is the same as "${credentials[first]!.id}"` }] : [];
  });
}

/** The provider as if the credential were its only one, without its headers. */
export function alone(provider: FileProvider, { id: _, weight: __, ...identity }: FileCredential): FileProvider {
  const { credentials: ___, headers: ____, ...rest } = provider;
  return { ...rest, ...identity };
}
