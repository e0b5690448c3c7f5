// Metrics of admitted calls: attempts, tokens, units, money and holds. Labels are models and routes of the catalog and operations of the
// contract, so their number is bounded by the operator, never by callers.
import type { Registry } from "prom-client";
import { addMetric, entryOf, type Labels, type Sample } from "./plain-metric.ts";

/** What a settlement reports: the fields of its usage-log row that are counted. */
interface ChargedCall {
  model: string;
  operation: string;
  status: string;
  input_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  units?: number | null;
  unit?: string;
  /** In 1e-8 USD. */
  cost: string;
  /** The last one has the charge. */
  attempts: readonly { route: string; cost?: string }[];
}

interface CredentialUse {
  credential: string;
  outcome: string;
}

type HoldKind = "call" | "media";

export interface CallCounts {
  /**
   * One attempt at an upstream; the route is provider/model, the cause one of src/providers/errors, null where it did not fail. `credentials`:
   * those of its provider that were used for it.
   */
  countAttempt(route: string, outcome: string, latencyMs: number, cause: string | null, credentials?: readonly CredentialUse[]): void;
  /** Accepted work at an upstream that failed. */
  countFailure(route: string, cause: string): void;
  /** Called once for each usage-log row, after it is durable. */
  countCharge(call: ChargedCall): void;
  /** Measured usage above its hold, or above what window and output allow. */
  countOverrun(model: string, kind: "hold" | "bounds"): void;
  /** A call that asked for a kept answer: one was served, or there was none. */
  countKept(model: string, outcome: "hit" | "miss"): void;
  /** What an upstream finished too late, in 1e-8 USD. */
  countExpense(model: string, route: string, cost: bigint): void;
  /** A failed settlement: its answer may have been free. */
  countUnsettled(): void;
  /** Calls that the slower form of settlement was needed for. */
  countSettledSlower(calls: number): void;
  /** A reservation; `granted` in 1e-8 USD, null: refused. */
  countHold(kind: HoldKind, granted: bigint | null): void;
  countJobEnd(kind: string, status: string): void;
}

interface Tally {
  calls: Map<string, number>;
  tokens: { input: number; cache_read: number; cache_write: number; output: number };
  units: Map<string, number>;
  /** Exact up to 2^53 units, 90 million USD a process, model and operation. */
  cost: number;
}

interface Margin {
  charged: number;
  /** Of it, for calls whose last route names no cost. */
  unmatched: number;
  /** Null: none was known yet. */
  cost: number | null;
}

const unitsAUsd = 1e8;

interface Figures {
  attempts: Map<string, Map<string, { count: number; ms: number }>>;
  failures: Map<string, Map<string, { count: number }>>;
  /** By provider/credential. */
  credentials: Map<string, Map<string, { count: number }>>;
  tallies: Map<string, Map<string, Tally>>;
  /** By model and route; in 1e-8 USD. */
  margins: Map<string, Map<string, Margin>>;
  holds: Record<HoldKind, { placed: number; units: number; refused: number }>;
  overruns: Map<string, Map<string, { count: number }>>;
  kept: Map<string, Map<string, { count: number }>>;
  unsettled: number;
  settledSlower: number;
  jobEnds: Map<string, Map<string, { count: number }>>;
}

export function countCalls(registry: Registry): CallCounts {
  const noHolds = () => ({ placed: 0, units: 0, refused: 0 });
  const holds = { call: noHolds(), media: noHolds() };
  const maps = {
    attempts: new Map(),
    failures: new Map(),
    credentials: new Map(),
    tallies: new Map(),
    margins: new Map(),
    overruns: new Map(),
    kept: new Map(),
    jobEnds: new Map(),
  };
  const figures: Figures = { ...maps, holds, unsettled: 0, settledSlower: 0 };
  const { attempts, failures, credentials, tallies, margins, overruns, jobEnds } = figures;
  addCounters(registry, figures);

  const marginOf = (model: string, route: string) => entryOf(margins, model, route, () => ({ charged: 0, unmatched: 0, cost: null }));
  const addCost = (model: string, route: string, cost: string | bigint): void => {
    const margin = marginOf(model, route);
    margin.cost = (margin.cost ?? 0) + Number(cost);
  };
  const countFailure = (route: string, cause: string): void => void (entryOf(failures, route, cause, () => ({ count: 0 })).count += 1);

  return {
    countAttempt(route, outcome, latencyMs, cause, used = []) {
      const tally = entryOf(attempts, route, outcome, () => ({ count: 0, ms: 0 }));
      tally.count += 1;
      tally.ms += latencyMs;
      if (cause !== null) countFailure(route, cause);
      for (const one of used) entryOf(credentials, `${providerOf(route)}/${one.credential}`, one.outcome, () => ({ count: 0 })).count += 1;
    },
    countFailure,
    countCharge(call) {
      const tally = entryOf(tallies, call.model, call.operation, openTally);
      tally.calls.set(call.status, (tally.calls.get(call.status) ?? 0) + 1);
      tally.tokens.input += call.input_tokens;
      tally.tokens.cache_read += call.cache_read_tokens;
      tally.tokens.cache_write += call.cache_write_tokens;
      tally.tokens.output += call.output_tokens;
      if (call.unit !== undefined) tally.units.set(call.unit, (tally.units.get(call.unit) ?? 0) + (call.units ?? 0));
      tally.cost += Number(call.cost);
      for (const { route, cost } of call.attempts) if (cost !== undefined) addCost(call.model, route, cost);
      const last = call.attempts.at(-1);
      if (last === undefined) return;
      const margin = marginOf(call.model, last.route);
      margin.charged += Number(call.cost);
      if (last.cost === undefined) margin.unmatched += Number(call.cost);
    },
    countOverrun(model, kind) {
      entryOf(overruns, model, kind, () => ({ count: 0 })).count += 1;
    },
    countKept: (model, outcome) => void (entryOf(figures.kept, model, outcome, () => ({ count: 0 })).count += 1),
    countExpense: addCost,
    countUnsettled: () => void (figures.unsettled += 1),
    countSettledSlower: (calls) => void (figures.settledSlower += calls),
    countHold(kind, granted) {
      const hold = holds[kind];
      if (granted === null) hold.refused += 1;
      else {
        hold.placed += 1;
        hold.units += Number(granted);
      }
    },
    countJobEnd(kind, status) {
      entryOf(jobEnds, kind, status, () => ({ count: 0 })).count += 1;
    },
  };
}

function addCounters(registry: Registry, figures: Figures): void {
  const { attempts, failures, credentials, tallies, margins, overruns, holds, jobEnds } = figures;
  const counter = (name: string, help: string, read: () => Sample[]) => addMetric(registry, { name, help, type: "counter" }, read);

  const ofAttempts = (figure: "count" | "ms", perUnit: number) => () =>
    nested(attempts, (route, outcome, tally) => [{ labels: { route, outcome }, value: tally[figure] / perUnit }]);
  counter(
    "svc_upstream_attempts_total",
    "Attempts at upstreams; outcome is ok, a fault, interrupted, aborted or breaker_open",
    ofAttempts("count", 1),
  );
  counter("svc_upstream_failures_total", "Attempts that failed or were passed over, by what went wrong", () =>
    nested(failures, (route, cause, { count }) => [{ labels: { route, cause }, value: count }]),
  );
  counter("svc_credential_attempts_total", "Attempts by the provider's credential; outcome is ok or why it did not serve", () =>
    nested(credentials, (name, outcome, { count }) => {
      const [provider = "", credential = ""] = name.split("/");
      return [{ labels: { provider, credential, outcome }, value: count }];
    }),
  );
  counter("svc_upstream_attempt_seconds_total", "Time to the answers of those attempts", ofAttempts("ms", 1000));
  counter("svc_calls_total", "Admitted calls that ended: success, aborted or failed", () =>
    nested(tallies, (model, operation, { calls }) => pairs(calls, (status) => ({ model, operation, status }))),
  );
  counter("svc_tokens_total", "Tokens of ended calls, in disjoint kinds", () =>
    summed(tallies, (model, _operation, { tokens }) => pairs(Object.entries(tokens), (kind) => ({ model, kind }))),
  );
  counter("svc_units_total", "What else was billed: images, seconds, characters", () =>
    summed(tallies, (model, _operation, { units }) => pairs(units, (unit) => ({ model, unit }))),
  );
  counter("svc_charged_usd_total", "Charges, durable in the ledger", () =>
    nested(tallies, (model, operation, { cost }) => [{ labels: { model, operation }, value: cost / unitsAUsd }]),
  );
  counter("svc_usage_overruns_total", "Answers whose measured usage was above its hold, or above what window and output allow", () =>
    nested(overruns, (model, kind, { count }) => [{ labels: { model, kind }, value: count }]),
  );
  counter("svc_kept_answers_total", "Calls that asked for a kept answer: hit, one was served; miss, there was none", () =>
    nested(figures.kept, (model, outcome, { count }) => [{ labels: { model, outcome }, value: count }]),
  );
  const ofMargins = (figure: keyof Margin) => () =>
    nested(margins, (model, route, margin) => {
      const units = margin[figure];
      return units === null ? [] : [{ labels: { model, route, provider: providerOf(route) }, value: units / unitsAUsd }];
    });
  counter("svc_route_charged_usd_total", "Charges, by the route that was asked last", ofMargins("charged"));
  counter("svc_route_charged_without_cost_usd_total", "Of them, those at routes that name no cost", ofMargins("unmatched"));
  counter("svc_route_cost_usd_total", "What providers charge the operator, by the routes' costs in the catalog", ofMargins("cost"));
  const ofHolds = (figure: "placed" | "units" | "refused", perUnit: number) => () =>
    pairs(
      Object.entries(holds).map(([kind, hold]) => [kind, hold[figure] / perUnit] as const),
      (kind) => ({ kind }),
    );
  counter("svc_settlements_failed_total", "Settlements that failed: calls that may have been free", () => [
    { labels: {}, value: figures.unsettled },
  ]);
  counter("svc_settlements_slower_total", "Calls settled by the slower form: a hold was gone, or the batch had been made before", () => [
    { labels: {}, value: figures.settledSlower },
  ]);
  counter("svc_holds_placed_total", "Reservations that were granted", ofHolds("placed", 1));
  counter("svc_holds_placed_usd_total", "What they reserved", ofHolds("units", unitsAUsd));
  counter("svc_holds_refused_total", "Reservations refused for balance, budget or slot", ofHolds("refused", 1));
  counter("svc_media_jobs_ended_total", "Media jobs that ended in this gateway", () =>
    nested(jobEnds, (kind, status, { count }) => [{ labels: { kind, status }, value: count }]),
  );
}

function providerOf(route: string): string {
  return route.slice(0, route.indexOf("/"));
}

function openTally(): Tally {
  return { calls: new Map(), tokens: { input: 0, cache_read: 0, cache_write: 0, output: 0 }, units: new Map(), cost: 0 };
}

function nested<Value>(all: Map<string, Map<string, Value>>, read: (first: string, second: string, value: Value) => Sample[]): Sample[] {
  return [...all].flatMap(([first, inner]) => [...inner].flatMap(([second, value]) => read(first, second, value)));
}

function pairs(values: Iterable<readonly [string, number]>, labels: (name: string) => Labels): Sample[] {
  return [...values].map(([name, value]) => ({ labels: labels(name), value }));
}

/** Sums the samples that have the same labels. */
function summed<Value>(all: Map<string, Map<string, Value>>, read: (first: string, second: string, value: Value) => Sample[]): Sample[] {
  const byLabels = new Map<string, Sample>();
  for (const sample of nested(all, read)) {
    const key = JSON.stringify(sample.labels);
    const known = byLabels.get(key);
    if (known === undefined) byLabels.set(key, sample);
    else known.value += sample.value;
  }
  return [...byLabels.values()];
}
