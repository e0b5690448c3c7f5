// `svc provider list`: each provider's catalog entry, and the outcomes of its calls from the usage log of every process.
import type { Loaded } from "../catalog/load.ts";
import { type CredentialFigure, readCredentialFigures, readRouteFigures, type RouteFigure } from "../ledger/read-usage-log.ts";
import { type DisabledRow, readDisabled } from "../operators/disabled-routes.ts";
import { healthMinutes, healthOf, type RouteHealth } from "../operators/providers.ts";
import type { Provider } from "../providers/types.ts";
import { modelsOf, readServed } from "./catalog.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

interface Row extends RouteHealth {
  id: string;
  protocol: string;
  base_url: string;
  /** missing: an environment variable that the file names is not set. */
  key: "set" | "missing" | "none";
  models: string[];
  /** By an operator, for a while: the provider, or routes of it. */
  disabled: { upstream_model: string | null; until: string; reason: string }[];
  /** Of a provider that lists several. */
  credentials?: CredentialRow[];
}

interface CredentialRow {
  id: string;
  key: "set" | "missing";
  attempts: number;
  refused: number;
}

export async function list({ config }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const loaded = await readServed(db, config);
    const [routes, credentials] = [await readRouteFigures(db, healthMinutes), await readCredentialFigures(db, healthMinutes)];
    const disabled = await readDisabled(db, db.checks.now());
    const data = [...loaded.catalog.providers.values()].map((provider) => ({
      ...rowOf(loaded, provider, routes),
      disabled: disabled.filter((one) => one.provider === provider.id).map(toDisabled),
      ...credentialsOf(loaded, provider, credentials),
    }));
    return { json: { data }, text: data.map(lineOf).join("\n") };
  });
}

function toDisabled({ model, until, reason }: DisabledRow): Row["disabled"][number] {
  return { upstream_model: model === "" ? null : model, until: until.toISOString(), reason };
}

function rowOf({ catalog, unset }: Loaded, provider: Provider, figures: readonly RouteFigure[]): Omit<Row, "disabled"> {
  const { id, protocol, baseUrl, apiKey, secrets } = provider;
  const models = modelsOf(catalog, provider);
  const routes = new Set(
    models.flatMap((model) => model.routes.filter((route) => route.provider.id === id).map((route) => `${id}/${route.model}`)),
  );
  const lacks = provider.credentials === undefined && unset.some((one) => one.provider === id);
  const key = lacks ? "missing" : apiKey !== null || secrets !== undefined ? "set" : "none";
  const own = figures.filter(({ route }) => routes.has(route));
  return { id, protocol, base_url: baseUrl, key, models: models.map((model) => model.id), ...healthOf(own) };
}

function credentialsOf({ unset }: Loaded, provider: Provider, figures: readonly CredentialFigure[]): Pick<Row, "credentials"> {
  const missing = new Set(unset.flatMap((one) => (one.provider === provider.id ? (one.credential ?? []) : [])));
  const rowOf = (id: string, key: CredentialRow["key"]): CredentialRow => {
    const figure = figures.find((one) => one.provider === provider.id && one.credential === id);
    return { id, key, attempts: figure?.attempts ?? 0, refused: figure?.refused ?? 0 };
  };
  const rows = [...(provider.credentials ?? []).map(({ id }) => rowOf(id, "set")), ...[...missing].map((id) => rowOf(id, "missing"))];
  return rows.length === 0 ? {} : { credentials: rows };
}

function credentialText({ id, key, attempts, refused }: CredentialRow): string {
  return key === "missing" ? `${id} missing` : `${id} refused ${refused} of ${attempts}`;
}

function lineOf({ id, protocol, base_url, key, models, disabled, credentials = [], ...figures }: Row): string {
  const { health, attempts, failures, causes } = figures;
  const sold = `${models.length} ${models.length === 1 ? "model" : "models"}`;
  const why = failures === 0 ? "" : ` (${Object.keys(causes).join(", ")})`;
  const went = attempts === 0 ? `no calls in ${healthMinutes} minutes` : `${failures} of ${attempts} calls failed${why}`;
  const by = credentials.length === 0 ? "" : `; credentials: ${credentials.map(credentialText).join(", ")}`;
  const out = disabled.map(({ upstream_model, until }) => `; ${upstream_model ?? "all of it"} disabled until ${until}`).join("");
  return `${id} ${protocol} ${base_url}, key ${key}, ${sold}: ${health}, ${went}${by}${out}`;
}
