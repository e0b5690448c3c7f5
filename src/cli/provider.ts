// `svc provider list`: each provider's catalog entry, and the outcomes of its calls from the usage log of every process.
import type { Loaded } from "../catalog/load.ts";
import { readRouteFigures, type RouteFigure } from "../ledger/read-usage-log.ts";
import type { Provider } from "../providers/types.ts";
import { modelsOf, readCatalog } from "./catalog.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

/** Older calls say nothing about a provider's health now. */
const healthMinutes = 5;

interface Row {
  id: string;
  protocol: string;
  base_url: string;
  /** missing: an environment variable that the file names is not set. */
  key: "set" | "missing" | "none";
  models: string[];
  /** unknown: no calls. */
  health: "ok" | "degraded" | "failing" | "unknown";
  attempts: number;
  failures: number;
  /** The number of calls for each. */
  causes: Record<string, number>;
  last_attempt_at: string | null;
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
  const own = figures.filter(({ route, outcome }) => routes.has(route) && !saysNothing.has(outcome));
  return { id, protocol, base_url: baseUrl, key, models: models.map((model) => model.id), ...healthOf(own) };
}

/** Outcomes that say nothing of the provider: it was not asked, the client disconnected, or the request was at fault. */
const saysNothing = new Set(["breaker_open", "aborted", "gateway_error", "local_overload"]);
const answers = new Set(["ok", "rejected", "refused"]);

function healthOf(figures: readonly RouteFigure[]): Pick<Row, "health" | "attempts" | "failures" | "causes" | "last_attempt_at"> {
  const count = (some: readonly RouteFigure[]) => some.reduce((sum, figure) => sum + figure.count, 0);
  const failed = figures.filter(({ outcome, cause }) => !answers.has(outcome) || (outcome === "ok" && cause !== null));
  const [attempts, failures] = [count(figures), count(failed)];
  const causes: Record<string, number> = {};
  for (const { outcome, cause, count } of failed) causes[cause ?? outcome] = (causes[cause ?? outcome] ?? 0) + count;
  const last = figures.reduce((latest, { lastAt }) => Math.max(latest, lastAt.getTime()), 0);
  return {
    health: attempts === 0 ? "unknown" : failures === 0 ? "ok" : failures === attempts ? "failing" : "degraded",
    attempts,
    failures,
    causes,
    last_attempt_at: last === 0 ? null : new Date(last).toISOString(),
  };
}

function lineOf({ id, protocol, base_url, key, models, health, attempts, failures, causes }: Row): string {
  const sold = `${models.length} ${models.length === 1 ? "model" : "models"}`;
  const why = failures === 0 ? "" : ` (${Object.keys(causes).join(", ")})`;
  const went = attempts === 0 ? `no calls in ${healthMinutes} minutes` : `${failures} of ${attempts} calls failed${why}`;
  return `${id} ${protocol} ${base_url}, key ${key}, ${sold}: ${health}, ${went}`;
}
