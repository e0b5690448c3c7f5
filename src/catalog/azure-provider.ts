// The keys of a provider in the catalog file that only Azure's OpenAI has: its API's version, and who gets tokens. Which keys
// belong to it, and when its credentials are loaded, is cloud-provider.ts's.
import type { EntraIdentity, EntraProof } from "../providers/credentials/entra.ts";
import type { Provider } from "../providers/types.ts";
import type { Fault, FileProvider, Path } from "./file.ts";
import { variants } from "./variants.ts";

const publicAuthority = "https://login.microsoftonline.com";
const usualScope = "https://cognitiveservices.azure.com/.default";

/** Older ones refuse `stream_options`, without which a stream has no usage. */
const oldestVersion = "2024-09-01";

export function azureFaults({ api_version: version, base_url: address = "" }: FileProvider, path: Path): Fault[] {
  const faults: Fault[] = [];
  if (/\/openai\/deployments\b/.test(address))
    faults.push({ path: [...path, "base_url"], message: "is the resource's address: the paths of its deployments are put behind it" });
  if (version !== undefined && version < oldestVersion)
    faults.push({ path: [...path, "api_version"], message: `is older than ${oldestVersion}: streams have no usage there` });
  return faults;
}

export function azureIdentityFaults({ entra, api_key_env: key }: FileProvider, path: Path): Fault[] {
  if (entra === undefined) return [];
  const faults = entraFaults(entra, [...path, "entra"]);
  if (key !== undefined)
    faults.push({ path: [...path, "entra"], message: "is one way to authorize, api_key_env is another: name one of them" });
  return faults;
}

type FileEntra = NonNullable<FileProvider["entra"]>;

const ways = ["client_secret_env", "certificate_file", "federated_token_file", "managed_identity"] as const;

function entraFaults(entra: FileEntra, path: Path): Fault[] {
  const [way, ...others] = ways.filter((key) => entra[key] !== undefined && entra[key] !== false);
  if (way === undefined) return [{ path, message: `needs one of ${ways.join(", ")}` }];
  const faults: Fault[] = others.map((key) => ({
    path: [...path, key],
    message: `is one way to get a token, ${way} is another: name one of them`,
  }));
  if (way !== "managed_identity") {
    for (const key of ["tenant", "client_id"] as const)
      if (entra[key] === undefined) faults.push({ path, message: `"${key}" is missing: a token is asked for an application of a tenant` });
    return faults;
  }
  for (const key of ["tenant", "authority"] as const)
    if (entra[key] !== undefined) faults.push({ path: [...path, key], message: "has no use with managed_identity: the machine knows it" });
  return faults;
}

/** What its adapter needs beside the address. */
export function azureParts({ api_version: apiVersion }: FileProvider): Partial<Provider> {
  return { variant: variants.openai, ...(apiVersion === undefined ? {} : { apiVersion }) };
}

/** Null: its key is in a header. `resolve` knows where the simulator is. */
export function entraIdentityOf(
  { entra }: FileProvider,
  environment: Record<string, string | undefined>,
  resolve: (address: string) => string,
): EntraIdentity | null {
  if (entra === undefined) return null;
  const valueOf = (name: string) => environment[name]?.trim() ?? "";
  const { tenant = "", client_id: clientId = "", authority = publicAuthority, scope = usualScope } = entra;
  const client = { kind: "application", authority: withoutSlash(resolve(authority)), tenant, clientId, scope } as const;
  if (entra.managed_identity !== true) return { ...client, proof: proofOf(entra, valueOf) };
  // The names that Microsoft's own SDKs read, in their order.
  const [file, host] = [valueOf("AZURE_FEDERATED_TOKEN_FILE"), valueOf("AZURE_AUTHORITY_HOST")];
  const federated = { tenant: valueOf("AZURE_TENANT_ID"), clientId: clientId || valueOf("AZURE_CLIENT_ID") };
  if (file !== "" && federated.tenant !== "" && federated.clientId !== "") {
    const own = host === "" ? {} : { authority: withoutSlash(resolve(host)) };
    return { ...client, ...federated, ...own, proof: { kind: "federated", file } };
  }
  const [url, header] = [resolve(valueOf("IDENTITY_ENDPOINT")), valueOf("IDENTITY_HEADER")];
  return {
    kind: "machine",
    appService: url === "" || header === "" ? null : { url, header },
    metadataUrl: withoutSlash(resolve(valueOf("AZURE_POD_IDENTITY_AUTHORITY_HOST") || metadataServer)),
    clientId: clientId || null,
    resource: scope.replace(/\/\.default$/, ""),
  };
}

const metadataServer = "http://169.254.169.254";

function proofOf(entra: FileEntra, valueOf: (name: string) => string): EntraProof {
  const { client_secret_env: variable = "", certificate_file: certificate, federated_token_file: token } = entra;
  if (certificate !== undefined) return { kind: "certificate", file: certificate };
  return token === undefined ? { kind: "secret", secret: valueOf(variable), variable } : { kind: "federated", file: token };
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
