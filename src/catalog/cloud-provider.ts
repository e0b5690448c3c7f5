// The keys of a provider in the catalog file that only a cloud's protocol has: which it needs, where its models are, and how its requests
// are authorized. provider.ts does the rest.
import { parseJson } from "../json/parse.ts";
import type { AwsIdentity } from "../providers/credentials/aws.ts";
import type { GoogleIdentity, ServiceAccount } from "../providers/credentials/google.ts";
import type { Authorizer, Provider } from "../providers/types.ts";
import { azureFaults, azureIdentityFaults, azureParts, entraIdentityOf } from "./azure-provider.ts";
import type { Fault, FileProvider, Path } from "./file.ts";

type Environment = Record<string, string | undefined>;
type Protocol = FileProvider["protocol"];

type Keys = Partial<Record<Protocol, readonly (keyof FileProvider)[]>>;

/** Keys that belong to one protocol only: where its models are, and as whom requests go there. */
const placeKeys = { bedrock: ["region"], "azure-openai": ["api_version"], vertex: ["project", "location"] } as const satisfies Keys;
const identityKeys = {
  bedrock: ["access_key_id_env", "secret_access_key_env", "session_token_env", "role_arn"],
  "azure-openai": ["entra"],
  vertex: ["service_account_env"],
} as const satisfies Keys;

/** Of them, those that name a variable with a secret. */
const secretKeys = ["access_key_id_env", "secret_access_key_env", "session_token_env"] as const;

export function cloudFaults(provider: FileProvider, path: Path): Fault[] {
  const { protocol, base_url: address } = provider;
  const faults = strayFaults(provider, path, placeKeys);
  if (protocol !== "bedrock" && protocol !== "vertex" && address === undefined)
    faults.push(...missing(provider, path, "base_url", "a provider of this protocol can be anywhere"));
  if (protocol === "azure-openai") faults.push(...azureFaults(provider, path));
  if (protocol === "vertex")
    faults.push(
      ...missing(provider, path, "project", "it is billed"),
      ...missing(provider, path, "location", "its models are called there"),
    );
  if (protocol === "bedrock") faults.push(...missing(provider, path, "region", "requests are signed for it"));
  return [...faults, ...identityFaults(provider, path)];
}

/** Of as whom its requests go; also of one of its credentials, as if that were alone. */
export function identityFaults(provider: FileProvider, path: Path): Fault[] {
  const { protocol, api_key_env: apiKey, access_key_id_env: id, secret_access_key_env: secret } = provider;
  const faults = strayFaults(provider, path, identityKeys);
  if (protocol === "azure-openai") faults.push(...azureIdentityFaults(provider, path));
  if (protocol === "vertex" && apiKey !== undefined)
    faults.push({ path: [...path, "api_key_env"], message: "has no use here: requests are authorized by a Google account" });
  if (protocol !== "bedrock") return faults;
  const pair = "an access key has an id and a secret";
  if (secret !== undefined || provider.session_token_env !== undefined) faults.push(...missing(provider, path, "access_key_id_env", pair));
  if (id !== undefined) faults.push(...missing(provider, path, "secret_access_key_env", pair));
  if (apiKey !== undefined && (id !== undefined || provider.role_arn !== undefined))
    faults.push({
      path: [...path, "api_key_env"],
      message: "is one way to authorize, the access key or role is another: name one of them",
    });
  return faults;
}

function strayFaults(provider: FileProvider, path: Path, keysOf: Keys): Fault[] {
  return Object.entries(keysOf).flatMap(([owner, keys]) =>
    owner === provider.protocol
      ? []
      : keys
          .filter((key) => provider[key] !== undefined)
          .map((key) => ({ path: [...path, key], message: `belongs to providers of the ${owner} protocol only` })),
  );
}

function missing(provider: FileProvider, path: Path, key: keyof FileProvider, why: string): Fault[] {
  return provider[key] === undefined ? [{ path, message: `"${key}" is missing: ${why}` }] : [];
}

/** For a provider that names no `base_url`. */
export function cloudAddress({ protocol, region = "", location = "" }: FileProvider): string {
  if (protocol === "vertex") return `https://${vertexHost(location)}`;
  if (protocol !== "bedrock") return "";
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

function vertexHost(location: string): string {
  if (location === "us" || location === "eu") return `aiplatform.${location}.rep.googleapis.com`;
  return location === "global" ? "aiplatform.googleapis.com" : `${location}-aiplatform.googleapis.com`;
}

/** Behind the address, whichever it is. */
export function cloudPath({ protocol, project = "", location = "" }: FileProvider): string {
  return protocol === "vertex" ? `/v1/projects/${project}/locations/${location}` : "";
}

/** Names of the variables that its keys name and a header carries, with the key. */
export function cloudVariables(provider: FileProvider): { key: keyof FileProvider; variable: string }[] {
  const variables = secretKeys.flatMap((key) => (provider[key] === undefined ? [] : [{ key, variable: provider[key] }]));
  const secret = provider.entra?.client_secret_env;
  return secret === undefined ? variables : [...variables, { key: "entra", variable: secret }];
}

type Authorization = Required<Authorizer>;

/** What only a cloud's provider has; empty for the others. */
export function cloudParts(provider: FileProvider): Partial<Provider> {
  return provider.protocol === "azure-openai" ? azureParts(provider) : {};
}

/** Empty where its key is in a header, or nothing authorizes it. `resolve` knows where the simulator is. */
export function cloudAuthorizer(provider: FileProvider, environment: Environment, resolve: (address: string) => string): Authorizer {
  if (provider.protocol === "azure-openai") {
    const identity = entraIdentityOf(provider, environment, resolve);
    if (identity === null) return {};
    return loadedLater(() => import("../providers/credentials/entra.ts").then(({ entraAuthorization }) => entraAuthorization(identity)));
  }
  if (provider.protocol === "vertex") {
    const identity = googleIdentityOf(provider, environment, resolve);
    return loadedLater(() => import("../providers/credentials/google.ts").then(({ googleAuthorization }) => googleAuthorization(identity)));
  }
  if (provider.protocol !== "bedrock" || provider.api_key_env !== undefined) return {};
  const identity = awsIdentityOf(provider, environment, resolve);
  return loadedLater(() => import("../providers/credentials/aws.ts").then(({ awsAuthorization }) => awsAuthorization(identity)));
}

function awsIdentityOf(provider: FileProvider, environment: Environment, resolve: (address: string) => string): AwsIdentity {
  const {
    region = "",
    access_key_id_env: id,
    secret_access_key_env: secret,
    session_token_env: token,
    role_arn: roleArn = null,
  } = provider;
  const valueOf = (name = "") => environment[name]?.trim() ?? "";
  const stsUrl = resolve(valueOf("AWS_ENDPOINT_URL_STS")); // the name that Amazon's own SDKs read
  const unset = [id, secret, token].find((name) => name !== undefined && valueOf(name) === "");
  const keys: AwsIdentity["keys"] =
    id === undefined
      ? null
      : () => ({
          ...{ accessKeyId: valueOf(id), secretAccessKey: valueOf(secret), unset },
          ...(token === undefined ? {} : { sessionToken: valueOf(token) }),
        });
  return { region, keys, roleArn, stsUrl: stsUrl === "" ? null : stsUrl };
}

/** Loaded with the first request: commands that only read the catalog file need none of it. */
function loadedLater(load: () => Promise<Authorization>): Authorization {
  let loading: Promise<Authorization> | null = null;
  return {
    authorize: async (request) => await (await (loading ??= load())).authorize(request),
    onUnauthorized: () => void loading?.then(({ onUnauthorized }) => onUnauthorized()),
  };
}

// Google's accounts: the JSON of a service account's key, as Google's console hands it out, or the metadata server.

function googleIdentityOf(provider: FileProvider, environment: Environment, resolve: (address: string) => string): GoogleIdentity {
  const { service_account_env: variable } = provider;
  if (variable !== undefined) {
    const account = readServiceAccount(environment[variable] ?? "", resolve);
    return { kind: "service-account", variable, account: account === "unset" || account === "unfit" ? null : account };
  }
  const host = resolve(environment["GCE_METADATA_HOST"]?.trim() || "metadata.google.internal"); // the name that Google's own SDKs read
  return { kind: "machine", metadataUrl: (host.includes("://") ? host : `http://${host}`).replace(/\/+$/, "") };
}

const googleTokenUrl = "https://oauth2.googleapis.com/token";

/** Without a simulator its addresses stand for themselves. */
function readServiceAccount(text: string, resolve = (address: string) => address): ServiceAccount | "unset" | "unfit" {
  if (text.trim() === "") return "unset";
  let fields: Record<string, unknown>;
  try {
    fields = Object(parseJson(text)) as Record<string, unknown>;
  } catch {
    return "unfit";
  }
  const { client_email: email, private_key: privateKey, private_key_id: keyId, token_uri: url = googleTokenUrl } = fields;
  if (typeof email !== "string" || typeof privateKey !== "string" || typeof url !== "string") return "unfit";
  const tokenUrl = resolve(url);
  if (!/^(?:https?:\/\/|simulator:\/)/.test(tokenUrl) || !URL.canParse(tokenUrl)) return "unfit";
  return { email, privateKey, keyId: typeof keyId === "string" ? keyId : null, tokenUrl };
}

/** Never repeats what the variable holds. */
export function serviceAccountFault({ service_account_env: variable }: FileProvider, environment: Environment): string | null {
  if (variable === undefined || readServiceAccount(environment[variable] ?? "") !== "unfit") return null;
  return `the variable ${variable} does not hold the JSON of a service account's key`;
}

/** What must not appear in an answer; the rest of the JSON is no secret, and its words are ordinary ones. */
export function serviceAccountSecrets({ service_account_env: variable }: FileProvider, environment: Environment): string[] {
  const account = readServiceAccount(environment[variable ?? ""] ?? "");
  return typeof account === "string" ? [] : [account.privateKey.replace(/-----[A-Z ]+-----/g, "").trim()];
}
