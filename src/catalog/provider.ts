// One provider of the catalog file: what is wrong with it, and what it becomes. Reads secrets from the environment that is handed in
// and never puts one into a message.
import type { Provider } from "../providers/types.ts";
import type { Fault, FileProvider, Path } from "./file.ts";

/** `simulator:/openai/v1` is /openai/v1 of the built-in simulator, whose port nobody knows before it runs. */
export const simulatorScheme = "simulator:";

/** OPERATOR.md leaves the figure to us; its example says 60 s. */
const timeoutMsDefault = 60_000;

export interface ProviderSurroundings {
  environment: Record<string, string | undefined>;
  /** Null: no simulator runs here. */
  simulatorUrl: string | null;
}

export function readProvider(provider: FileProvider, { environment, simulatorUrl }: ProviderSurroundings): Provider {
  const secret = provider.api_key_env === undefined ? undefined : environment[provider.api_key_env]?.trim();
  const address = provider.base_url.startsWith(simulatorScheme)
    ? (simulatorUrl ?? "").replace(/\/+$/, "") + provider.base_url.slice(simulatorScheme.length)
    : provider.base_url;
  return {
    id: provider.id,
    protocol: provider.protocol,
    baseUrl: address.replace(/\/+$/, ""),
    apiKey: secret || null,
    headers: { ...provider.headers },
    timeoutMs: provider.timeout_ms ?? timeoutMsDefault,
  };
}

export function providerFaults({ base_url: address, headers = {} }: FileProvider, path: Path): Fault[] {
  const faults: Fault[] = [];
  const reason = addressFault(address);
  if (reason !== null) faults.push({ path: [...path, "base_url"], message: reason });
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, "headers", name];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) faults.push({ path: at, message: "is no name of a header" });
    else if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) faults.push({ path: at, message: "has characters that no header can carry" });
  }
  return faults;
}

/** Never repeats the address: it may hold a password. */
function addressFault(address: string): string | null {
  if (address.startsWith(simulatorScheme)) return /^simulator:\/[\w./-]*$/.test(address) ? null : "must be simulator:/PATH";
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    return "must be an http or https address, or simulator:/PATH";
  if (url.username !== "" || url.password !== "") return "must not hold a password; name a variable in api_key_env";
  return url.search === "" && url.hash === "" ? null : "must not have a query or a fragment: paths are put behind it";
}
