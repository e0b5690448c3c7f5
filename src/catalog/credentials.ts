// A provider's list of credentials in the catalog file: what is checked, and what becomes of it. No secret is said again.
import { authHeader } from "../providers/credentials/key-header.ts";
import type { Credential, Provider } from "../providers/types.ts";
import type { Fault, FileProvider, Path } from "./file.ts";

type Environment = Record<string, string | undefined>;
type Protocol = FileProvider["protocol"];

/** The protocols whose calls stand alone. Elsewhere tickets and voices belong to the account that made them. */
const standAlone: readonly Protocol[] = ["openai", "anthropic", "gemini", "cohere", "azure-openai", "rerank"];

/** Other ways to authorize. */
const otherWays = ["api_key_env", "entra", "access_key_id_env", "role_arn"] as const;

export function credentialFaults(provider: FileProvider, path: Path): Fault[] {
  const { credentials, protocol, headers = {} } = provider;
  if (credentials === undefined) return [];
  const at = [...path, "credentials"];
  const faults: Fault[] = [];
  const keyHeader = standAlone.includes(protocol) ? authHeader(protocol, "")[0] : undefined;
  if (keyHeader === undefined)
    faults.push({ path: at, message: `are for ${standAlone.join(", ")}: over ${protocol} work belongs to one account` });
  const other = otherWays.find((key) => provider[key] !== undefined);
  if (other !== undefined) faults.push({ path: at, message: `is one way to authorize, ${other} is another: name one of them` });
  for (const name of Object.keys(headers))
    if (name.toLowerCase() === keyHeader)
      faults.push({ path: [...path, "headers", name], message: "carries the credential: leave it to credentials" });
  for (const key of ["id", "api_key_env"] as const) {
    const values = credentials.map((one) => one[key]);
    values.forEach((value, index) => {
      if (values.indexOf(value) < index) faults.push({ path: [...at, index, key], message: `"${value}" stands there twice` });
    });
  }
  return faults;
}

/** Those whose variable is set. */
export function credentialsOf({ credentials = [] }: FileProvider, environment: Environment): Pick<Provider, "credentials"> {
  const set = credentials.flatMap(({ id, api_key_env: variable, weight = 1 }): Credential[] => {
    const key = environment[variable]?.trim() ?? "";
    return key === "" ? [] : [{ id, key, weight }];
  });
  return set.length === 0 ? {} : { credentials: set };
}
