// Providers and their routes for operators: how their calls went lately, from attempts of every process, what they bring in, and what is
// disabled.
import type { components } from "../../generated/api.d.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import type { Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { cutId } from "../ids.ts";
import { readRouteFigures, type RouteFigure } from "../ledger/read-usage-log.ts";
import { type ReportRow, sumOf } from "../ledger/report.ts";
import { toUsd } from "../money.ts";
import { type DisabledRow, readDisabled } from "./disabled-routes.ts";
import { readRouteMoney } from "./overview.ts";

type Shown = components["schemas"]["OperatorProvider"];
type Figures = Omit<components["schemas"]["OperatorRoute"], "route" | "upstream_model" | "models" | "breaker" | "disabled">;
type Needs = Pick<Context, "db" | "clock" | "catalog" | "breakers">;

/** Each provider of the catalog, in its order. */
export async function listProviders({ db, clock, catalog, breakers }: Needs): Promise<Shown[]> {
  const now = clock();
  const [figures, latencies, money, disabled] = await Promise.all([
    readRouteFigures(db, healthMinutes),
    readLatencies(db),
    readRouteMoney(db, { from: new Date(now.getTime() - dayMs), to: now }),
    readDisabled(db, now),
  ]);
  const failing = new Map(breakers.failing().map(({ routeId, isOpen }) => [routeId, isOpen ? ("open" as const) : ("failing" as const)]));
  const routes = Map.groupBy(routesOf(catalog), ({ provider }) => provider);
  const shownDisabled = (provider: string, model: string) => {
    const row = disabled.find((one) => one.provider === provider && one.model === model);
    return row === undefined ? null : disabledRecord(row);
  };
  return [...catalog.providers.values()].map(({ id, protocol }) => ({
    id,
    object: "operator.provider",
    protocol,
    disabled: shownDisabled(id, ""),
    ...figuresOf((route) => route.startsWith(`${id}/`), latencies.get(`${id}/`), { figures, money }),
    routes: (routes.get(id) ?? []).map(({ route, model, models }) => ({
      route,
      upstream_model: model,
      models: models.map((sold) => sold.id),
      breaker: failing.get(route) ?? "closed",
      disabled: shownDisabled(id, model),
      ...figuresOf((one) => one === route, latencies.get(route), { figures, money }),
    })),
  }));
}

export async function providerRecord(context: Needs, id: string): Promise<Shown> {
  return (await listProviders(context)).find((provider) => provider.id === id)!;
}

const dayMs = 24 * 60 * 60 * 1000;

interface RouteOf {
  provider: string;
  /** The provider's id of it. */
  model: string;
  /** provider/model */
  route: string;
  models: Model[];
}

/** Each route once, in the catalog's order. */
function routesOf({ models }: Pick<Catalog, "models">): RouteOf[] {
  const found = new Map<string, RouteOf>();
  for (const sold of models.values())
    for (const { provider, model } of sold.routes) {
      const route = `${provider.id}/${model}`;
      const one = found.get(route) ?? { provider: provider.id, model, route, models: [] };
      if (!one.models.includes(sold)) one.models.push(sold);
      found.set(route, one);
    }
  return [...found.values()];
}

/** 404 where the catalog has no such provider or route. `model` null: the provider as a whole. */
export function assertRoute(catalog: Catalog, provider: string, model: string | null): void {
  const isKnown =
    catalog.providers.has(provider) && (model === null || routesOf(catalog).some(({ route }) => route === `${provider}/${model}`));
  if (!isKnown) fail("provider_not_found", { text: { id: cutId(model === null ? provider : `${provider}/${model}`) } });
}

export function disabledRecord({ until, reason, disabledBy, disabledAt }: DisabledRow): components["schemas"]["Disabled"] {
  return { until: until.toISOString(), reason, disabled_by: disabledBy, disabled_at: disabledAt.toISOString() };
}

interface Latency {
  p50: number;
  p95: number;
}

function figuresOf(
  isOwn: (route: string) => boolean,
  latency: Latency | undefined,
  { figures, money }: { figures: readonly RouteFigure[]; money: readonly ReportRow[] },
): Figures {
  const { causes, ...health } = healthOf(figures.filter(({ route }) => isOwn(route)));
  const { requests, revenue, unmatched, cost, margin } = sumOf(money.filter(({ name }) => name !== null && isOwn(name)));
  return {
    ...health,
    causes: Object.entries(causes)
      .map(([cause, attempts]) => ({ cause, attempts }))
      .sort((one, other) => other.attempts - one.attempts)
      .slice(0, causesMax),
    latency_p50_ms: latency?.p50 ?? null,
    latency_p95_ms: latency?.p95 ?? null,
    calls_24h: Number(requests),
    revenue_24h_usd: toUsd(revenue),
    revenue_without_cost_24h_usd: toUsd(unmatched),
    cost_24h_usd: cost === null ? null : toUsd(cost),
    margin_24h_usd: margin === null ? null : toUsd(margin),
  };
}

const causesMax = 50;

/** By route, and by provider under its id with a slash. */
async function readLatencies({ pool }: Queries): Promise<Map<string, Latency>> {
  const { rows } = await pool.query<Latency & { name: string }>(
    `select coalesce(route, provider || '/') as name, percentile_disc(0.5) within group (order by ms) as p50,
       percentile_disc(0.95) within group (order by ms) as p95
     from (select a ->> 'route' as route, split_part(a ->> 'route', '/', 1) as provider, (a ->> 'latency_ms')::int as ms
       from usage_log l, jsonb_array_elements(l.attempts) a
       where l.created_at > now() - make_interval(mins => $1) and a ->> 'outcome' = 'ok') answered
     group by grouping sets ((route), (provider))`,
    [healthMinutes],
  );
  return new Map(rows.map(({ name, p50, p95 }) => [name, { p50, p95 }]));
}

/** Older calls say nothing about a provider's health now. */
export const healthMinutes = 5;

export interface RouteHealth {
  /** unknown: no calls. */
  health: "ok" | "degraded" | "failing" | "unknown";
  attempts: number;
  failures: number;
  /** The number of calls for each. */
  causes: Record<string, number>;
  last_attempt_at: string | null;
}

/** Outcomes that say nothing of the provider: it was not asked, the client disconnected, or the request was at fault. */
const saysNothing = new Set(["breaker_open", "aborted", "gateway_error", "local_overload"]);
const answers = new Set(["ok", "rejected", "refused"]);

export function healthOf(all: readonly RouteFigure[]): RouteHealth {
  const figures = all.filter(({ outcome }) => !saysNothing.has(outcome));
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
