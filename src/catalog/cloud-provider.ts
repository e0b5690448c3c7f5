// The keys of a provider in the catalog file that only a cloud's protocol has: which it needs, where its models are, and how its requests
// are authorized. provider.ts does the rest.
import { credentialsFault } from "../providers/credentials/authorize.ts";
import { type AwsKeys, awsAuthorization } from "../providers/credentials/aws.ts";
import type { Provider } from "../providers/types.ts";
import type { Fault, FileProvider, Path } from "./file.ts";

type Environment = Record<string, string | undefined>;
type Protocol = FileProvider["protocol"];

/** Keys that belong to one protocol only. */
const keysOf = {
  bedrock: ["region", "access_key_id_env", "secret_access_key_env", "session_token_env", "role_arn"],
} as const satisfies Partial<Record<Protocol, readonly (keyof FileProvider)[]>>;

/** Of them, those that name a variable with a secret. */
const secretKeys = ["access_key_id_env", "secret_access_key_env", "session_token_env"] as const;

export function cloudFaults(provider: FileProvider, path: Path): Fault[] {
  const { protocol, base_url: address, api_key_env: apiKey } = provider;
  const faults: Fault[] = Object.entries(keysOf).flatMap(([owner, keys]) =>
    owner === protocol
      ? []
      : keys
          .filter((key) => provider[key] !== undefined)
          .map((key) => ({ path: [...path, key], message: `belongs to providers of the ${owner} protocol only` })),
  );
  const needs = (key: keyof FileProvider, why: string) => {
    if (provider[key] === undefined) faults.push({ path, message: `"${key}" is missing: ${why}` });
  };
  if (protocol !== "bedrock" && address === undefined) needs("base_url", "a provider of this protocol can be anywhere");
  if (protocol !== "bedrock") return faults;
  needs("region", "requests are signed for it");
  if (provider.secret_access_key_env !== undefined || provider.session_token_env !== undefined)
    needs("access_key_id_env", "an access key has an id and a secret");
  if (provider.access_key_id_env !== undefined) needs("secret_access_key_env", "an access key has an id and a secret");
  if (apiKey !== undefined && (provider.access_key_id_env !== undefined || provider.role_arn !== undefined))
    faults.push({
      path: [...path, "api_key_env"],
      message: "is one way to authorize, the access key or role is another: name one of them",
    });
  return faults;
}

/** For a provider that names no `base_url`. */
export function cloudAddress({ protocol, region = "" }: FileProvider): string {
  if (protocol !== "bedrock") return "";
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** Names of the variables that its keys name, with the key. */
export function cloudVariables(provider: FileProvider): { key: keyof FileProvider; variable: string }[] {
  return secretKeys.flatMap((key) => (provider[key] === undefined ? [] : [{ key, variable: provider[key] }]));
}

/** Empty for a provider whose key is in its headers. `resolve` knows where the simulator is. */
export function cloudAuthorization(
  provider: FileProvider,
  environment: Environment,
  resolve: (address: string) => string,
): Partial<Provider> {
  if (provider.protocol !== "bedrock" || provider.api_key_env !== undefined) return {};
  const {
    region = "",
    access_key_id_env: id,
    secret_access_key_env: secret,
    session_token_env: token,
    role_arn: roleArn = null,
  } = provider;
  const keys = (): AwsKeys => ({
    accessKeyId: valueOf(id, environment),
    secretAccessKey: valueOf(secret, environment),
    ...(token === undefined ? {} : { sessionToken: valueOf(token, environment) }),
  });
  const stsUrl = resolve(environment["AWS_ENDPOINT_URL_STS"]?.trim() ?? ""); // the name that Amazon's own SDKs read
  return awsAuthorization({ region, keys: id === undefined ? null : keys, roleArn, stsUrl: stsUrl === "" ? null : stsUrl });
}

function valueOf(name: string | undefined, environment: Environment): string {
  const value = name === undefined ? "" : (environment[name]?.trim() ?? "");
  if (value === "") throw credentialsFault(`the variable ${name ?? ""} is not set`);
  return value;
}
