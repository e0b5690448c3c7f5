// The keys of a provider in the catalog file that only Azure's OpenAI has: its API's version, and the application that gets tokens.
import { credentialsFault } from "../providers/credentials/authorize.ts";
import { entraAuthorization } from "../providers/credentials/entra.ts";
import { variants } from "../providers/openai/variants.ts";
import type { Provider } from "../providers/types.ts";
import type { Fault, FileProvider, Path } from "./file.ts";

type Environment = Record<string, string | undefined>;

const protocol = "azure-openai";
const publicAuthority = "https://login.microsoftonline.com";
const usualScope = "https://cognitiveservices.azure.com/.default";

export function azureFaults(provider: FileProvider, path: Path): Fault[] {
  const { api_version: version, entra, api_key_env: key } = provider;
  const faults: Fault[] = [];
  if (provider.protocol !== protocol)
    for (const name of ["api_version", "entra"] as const)
      if (provider[name] !== undefined)
        faults.push({ path: [...path, name], message: `belongs to providers of the ${protocol} protocol only` });
  if (entra !== undefined && key !== undefined)
    faults.push({ path: [...path, "entra"], message: "is one way to authorize, api_key_env is another: name one of them" });
  if (version === undefined && /\/openai\/deployments\b/.test(provider.base_url ?? "") && provider.protocol === protocol)
    faults.push({ path: [...path, "base_url"], message: "is the resource's address: the paths of its deployments are put behind it" });
  return faults;
}

/** Names of variables with secrets, with the key that names each. */
export function azureVariables({ entra }: FileProvider): { key: string; variable: string }[] {
  return entra === undefined ? [] : [{ key: "entra", variable: entra.client_secret_env }];
}

/** `resolve` knows where the simulator is. */
export function azureParts(provider: FileProvider, environment: Environment, resolve: (address: string) => string): Partial<Provider> {
  if (provider.protocol !== protocol) return {};
  const { api_version: apiVersion, entra } = provider;
  const parts: Partial<Provider> = { variant: variants.openai, ...(apiVersion === undefined ? {} : { apiVersion }) };
  if (entra === undefined) return parts;
  const { tenant, client_id: clientId, client_secret_env: variable, authority = publicAuthority, scope = usualScope } = entra;
  const clientSecret = () => {
    const secret = environment[variable]?.trim();
    if (!secret) throw credentialsFault(`the variable ${variable} is not set`);
    return secret;
  };
  return { ...parts, ...entraAuthorization({ authority: resolve(authority).replace(/\/+$/, ""), tenant, clientId, clientSecret, scope }) };
}
