// The keys of a provider in the catalog file that only Azure's OpenAI has: its API's version, and the application that gets tokens. Which
// keys belong to it, and when its credentials are loaded, is cloud-provider.ts's.
import type { EntraClient } from "../providers/credentials/entra.ts";
import type { Provider } from "../providers/types.ts";
import type { Fault, FileProvider, Path } from "./file.ts";
import { variants } from "./variants.ts";

const publicAuthority = "https://login.microsoftonline.com";
const usualScope = "https://cognitiveservices.azure.com/.default";

/** Older ones refuse `stream_options`, without which a stream has no usage. */
const oldestVersion = "2024-09-01";

export function azureFaults({ entra, api_version: version, api_key_env: key, base_url: address = "" }: FileProvider, path: Path): Fault[] {
  const faults: Fault[] = [];
  if (entra !== undefined && key !== undefined)
    faults.push({ path: [...path, "entra"], message: "is one way to authorize, api_key_env is another: name one of them" });
  if (/\/openai\/deployments\b/.test(address))
    faults.push({ path: [...path, "base_url"], message: "is the resource's address: the paths of its deployments are put behind it" });
  if (version !== undefined && version < oldestVersion)
    faults.push({ path: [...path, "api_version"], message: `is older than ${oldestVersion}: streams have no usage there` });
  return faults;
}

/** What its adapter needs beside the address. */
export function azureParts({ api_version: apiVersion }: FileProvider): Partial<Provider> {
  return { variant: variants.openai, ...(apiVersion === undefined ? {} : { apiVersion }) };
}

/** Null: its key is in a header. `resolve` knows where the simulator is. */
export function entraClientOf(
  { entra }: FileProvider,
  environment: Record<string, string | undefined>,
  resolve: (address: string) => string,
): EntraClient | null {
  if (entra === undefined) return null;
  const { tenant, client_id: clientId, client_secret_env: variable, authority = publicAuthority, scope = usualScope } = entra;
  const secret = environment[variable]?.trim() ?? "";
  return { authority: resolve(authority).replace(/\/+$/, ""), tenant, clientId, secret, variable, scope };
}
