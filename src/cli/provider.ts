// `svc provider list`: each provider's catalog entry, and the outcomes of its calls from the usage log of every process.
import type { Loaded } from "../catalog/load.ts";
import { readRouteFigures, type RouteFigure } from "../ledger/read-usage-log.ts";
import { healthMinutes, healthOf, type RouteHealth } from "../operators/route-health.ts";
import type { Provider } from "../providers/types.ts";
import { modelsOf, readCatalog } from "./catalog.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

interface Row extends RouteHealth {
  id: string;
  protocol: string;
  base_url: string;
  /** missing: an environment variable that the file names is not set. */
  key: "set" | "missing" | "none";
  models: string[];
}

export async function list({ config }: Input): Promise<Outcome> {
  const loaded = readCatalog(config);
  return withDatabase(config, async (db) => {
    const figures = await readRouteFigures(db, healthMinutes);
    const data = [...loaded.catalog.providers.values()].map((provider) => rowOf(loaded, provider, figures));
    return { json: { data }, text: data.map(lineOf).join("\n") };
  });
}

function rowOf({ catalog, unset }: Loaded, provider: Provider, figures: readonly RouteFigure[]): Row {
  const { id, protocol, baseUrl, apiKey, secrets } = provider;
  const models = modelsOf(catalog, provider);
  const routes = new Set(
    models.flatMap((model) => model.routes.filter((route) => route.provider.id === id).map((route) => `${id}/${route.model}`)),
  );
  const key = unset.some((one) => one.provider === id) ? "missing" : apiKey !== null || secrets !== undefined ? "set" : "none";
  const own = figures.filter(({ route }) => routes.has(route));
  return { id, protocol, base_url: baseUrl, key, models: models.map((model) => model.id), ...healthOf(own) };
}

function lineOf({ id, protocol, base_url, key, models, health, attempts, failures, causes }: Row): string {
  const sold = `${models.length} ${models.length === 1 ? "model" : "models"}`;
  const why = failures === 0 ? "" : ` (${Object.keys(causes).join(", ")})`;
  const went = attempts === 0 ? `no calls in ${healthMinutes} minutes` : `${failures} of ${attempts} calls failed${why}`;
  return `${id} ${protocol} ${base_url}, key ${key}, ${sold}: ${health}, ${went}`;
}
