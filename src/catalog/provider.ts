// Checks one provider of the catalog file and turns it into a Provider. Reads secrets from the environment that is handed in and
// never puts one into a message.
import { withheldFields } from "../../generated/withheld-fields.ts";
import type { Credential, Provider } from "../providers/types.ts";
import {
  cloudAddress,
  cloudAuthorizer,
  cloudFaults,
  cloudParts,
  cloudPath,
  cloudVariables,
  serviceAccountFault,
  serviceAccountSecrets,
} from "./cloud-provider.ts";
import { alone, credentialFaults } from "./credentials.ts";
import type { Fault, FileProvider, Path } from "./file.ts";
import { variantOf } from "./variants.ts";

/** `simulator:/openai/v1` is /openai/v1 of the built-in simulator, whose port is unknown before it runs. */
export const simulatorScheme = "simulator:";

/** The timeout of a provider for which the file sets none, in milliseconds. */
const timeoutMsDefault = 60_000;

export interface ProviderSurroundings {
  environment: Record<string, string | undefined>;
  /** Null: no simulator runs here. */
  simulatorUrl: string | null;
}

export function readProvider(provider: FileProvider, { environment, simulatorUrl }: ProviderSurroundings): Provider {
  const headers = Object.entries(provider.headers ?? {}).map(([name, text]) => ({ name, ...fillHeaderText(text, environment) }));
  const ofCredentials = (provider.credentials ?? []).flatMap((one) => {
    const own = alone(provider, one);
    return [keyOf(own, environment) ?? [], ...cloudSecrets(own, environment)].flat();
  });
  const secrets = [...headers.flatMap((header) => header.secrets), ...cloudSecrets(provider, environment), ...ofCredentials];
  const resolve = (text: string) =>
    text.startsWith(simulatorScheme) ? (simulatorUrl ?? "").replace(/\/+$/, "") + text.slice(simulatorScheme.length) : text;
  const address = resolve(provider.base_url ?? cloudAddress(provider));
  const credentials = credentialsOf(provider, environment, resolve);
  return {
    id: provider.id,
    protocol: provider.protocol,
    baseUrl: address.replace(/\/+$/, "") + cloudPath(provider),
    apiKey: keyOf(provider, environment) ?? null,
    ...(credentials.length === 0 ? {} : { credentials }),
    headers: Object.fromEntries(headers.flatMap(({ name, value, unset }) => (unset.length === 0 ? [[name, value]] : []))),
    ...(secrets.length === 0 ? {} : { secrets }),
    ...(provider.protocol === "openai" ? { variant: variantOf(provider.variant, address) } : {}),
    forward: provider.forward ?? [],
    timeoutMs: provider.timeout_ms ?? timeoutMsDefault,
    onDisconnect: provider.on_disconnect ?? null,
    ...cloudParts(provider),
    ...(provider.credentials === undefined ? cloudAuthorizer(provider, environment, resolve) : {}),
  };
}

type Environment = ProviderSurroundings["environment"];

function keyOf({ api_key_env: variable }: FileProvider, environment: Environment): string | undefined {
  return (variable === undefined ? "" : environment[variable]?.trim()) || undefined;
}

function cloudSecrets(provider: FileProvider, environment: Environment): string[] {
  const values = cloudVariables(provider).flatMap(({ variable }) => environment[variable]?.trim() || []);
  return [...values, ...serviceAccountSecrets(provider, environment)];
}

/** Those whose variables are set. */
function credentialsOf(provider: FileProvider, environment: Environment, resolve: (address: string) => string): Credential[] {
  return (provider.credentials ?? []).flatMap((one): Credential[] => {
    const own = alone(provider, one);
    if (unsetVariables(own, environment).length > 0) return [];
    const { id, weight = 1 } = one;
    const key = keyOf(own, environment);
    return [key === undefined ? { id, weight, ...cloudAuthorizer(own, environment, resolve) } : { id, key, weight }];
  });
}

export function providerFaults(provider: FileProvider, path: Path): Fault[] {
  const { base_url: address, protocol, variant, headers = {}, forward = [] } = provider;
  const faults: Fault[] = [...cloudFaults(provider, path), ...credentialFaults(provider, path)];
  const identities = [{ at: path, entra: provider.entra }];
  (provider.credentials ?? []).forEach(({ entra }, index) => identities.push({ at: [...path, "credentials", index], entra }));
  for (const { at, entra } of identities) {
    const authority = entra?.authority === undefined ? null : addressFault(entra.authority);
    if (authority !== null) faults.push({ path: [...at, "entra", "authority"], message: authority });
  }
  if (variant !== undefined && protocol !== "openai")
    faults.push({ path: [...path, "variant"], message: "belongs to providers of the openai protocol only" });
  const reason = address === undefined ? null : addressFault(address);
  if (reason !== null) faults.push({ path: [...path, "base_url"], message: reason });
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, "headers", name];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) faults.push({ path: at, message: "is no name of a header" });
    else if (!canBeSent(value)) faults.push({ path: at, message: "has characters that no header can carry" });
    const stray = headerTextFault(value);
    if (stray !== null) faults.push({ path: at, message: stray });
  }
  forward.forEach((name, index) => {
    if (!Object.hasOwn(withheldFields, name))
      faults.push({
        path: [...path, "forward", index],
        message: `"${name}" is not withheld; those are ${Object.keys(withheldFields).join(", ")}`,
      });
  });
  return faults;
}

/** Variables whose values no header can carry. Never repeats one. */
export function secretFaults(provider: FileProvider, path: Path, environment: Environment): Fault[] {
  const { api_key_env: key, headers = {} } = provider;
  const unfit = (name: string) => `the variable ${name} holds characters that no header can carry`;
  const ofKey =
    key !== undefined && !canBeSent(environment[key]?.trim() ?? "") ? [{ path: [...path, "api_key_env"], message: unfit(key) }] : [];
  const ofHeaders = Object.entries(headers).flatMap(([name, text]) =>
    fillHeaderText(text, environment).unfit.map((variable) => ({ path: [...path, "headers", name], message: unfit(variable) })),
  );
  const ofCloud = cloudVariables(provider).flatMap(({ key: at, variable }) =>
    canBeSent(environment[variable]?.trim() ?? "") ? [] : [{ path: [...path, at], message: unfit(variable) }],
  );
  const account = serviceAccountFault(provider, environment);
  const ofAccount = account === null ? [] : [{ path: [...path, "service_account_env"], message: account }];
  const ofCredentials = (provider.credentials ?? []).flatMap((one, index) =>
    secretFaults(alone(provider, one), [...path, "credentials", index], environment),
  );
  return [...ofKey, ...ofHeaders, ...ofCloud, ...ofAccount, ...ofCredentials];
}

export interface UnsetVariable {
  provider: string;
  variable: string;
  /** Null: the key itself, or that of a credential. */
  header: string | null;
  credential?: string;
}

export function unsetVariables(provider: FileProvider, environment: Environment): UnsetVariable[] {
  const { id, api_key_env: key, headers = {} } = provider;
  const { service_account_env: account } = provider;
  const keys = [...[key, account].filter((name) => name !== undefined), ...cloudVariables(provider).map(({ variable }) => variable)];
  const ofKey = keys
    .filter((variable) => !environment[variable]?.trim())
    .map((variable): UnsetVariable => ({ provider: id, variable, header: null }));
  const ofHeaders = Object.entries(headers).flatMap(([header, text]) =>
    fillHeaderText(text, environment).unset.map((variable): UnsetVariable => ({ provider: id, variable, header })),
  );
  const ofCredentials = (provider.credentials ?? []).flatMap((one) =>
    unsetVariables(alone(provider, one), environment).map((unset) => ({ ...unset, credential: one.id })),
  );
  return [...ofKey, ...ofHeaders, ...ofCredentials];
}

/** Never repeats the address: it may hold a password. */
function addressFault(address: string): string | null {
  if (address.startsWith(simulatorScheme)) return /^simulator:\/[\w./-]*$/.test(address) ? null : "must be simulator:/PATH";
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    return "must be an http or https address, or simulator:/PATH";
  if (address.includes("$")) return 'must not have a "$": no variable is filled in here';
  if (url.username !== "" || url.password !== "") return "must not hold a password; name a variable in api_key_env";
  return url.search === "" && url.hash === "" ? null : "must not have a query or a fragment: paths are put behind it";
}

// The value of a header in the catalog file: `${NAME}` stands for a variable of the environment, `$$` for a dollar.

const part = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$/g;

/** Null: nothing. */
function headerTextFault(text: string): string | null {
  const stray = [...text.matchAll(part)].some(([found]) => found === "$");
  return stray ? 'has a "$" that begins no variable: write ${NAME} for the variable NAME of the environment, or $$ for a dollar' : null;
}

interface HeaderText {
  value: string;
  /** Values of variables in it. */
  secrets: string[];
  /** Names of those that are not set; the header can't be sent then. */
  unset: string[];
  /** Names of those that hold what no header can carry. */
  unfit: string[];
}

/** Of a text without a fault. */
function fillHeaderText(text: string, environment: Record<string, string | undefined>): HeaderText {
  const filled: HeaderText = { value: "", secrets: [], unset: [], unfit: [] };
  filled.value = text.replace(part, (found, name?: string) => {
    if (name === undefined) return found === "$$" ? "$" : found;
    const secret = environment[name]?.trim() ?? "";
    if (secret === "") filled.unset.push(name);
    else filled.secrets.push(secret);
    if (!canBeSent(secret)) filled.unfit.push(name);
    return secret;
  });
  return filled;
}

function canBeSent(value: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}
