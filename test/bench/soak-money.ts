// Whether the soak paid: what accounts were charged, and what the simulator and the log say that providers bill at the same prices, by account,
// model and route. A provider is taken to bill no answer that it broke itself, and an upstream that is broken by order bills nothing.
import type { Db } from "../../src/db/connect.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import type { EndedCall } from "../../src/simulator/calls.ts";
import { isBroken } from "./soak-catalog.ts";

/** What providers billed, by the id of the request that it was for. */
export type Bills = Map<string, NonNullable<EndedCall["billed"]>[]>;

/** Called with every call of the simulator that ends. */
export function billTo(bills: Bills): (call: EndedCall) => void {
  return ({ requestId, model, billed, outcome }) => {
    if (requestId === null || model === null || billed === null || outcome === "broken" || isBroken(model)) return;
    bills.set(requestId, [...(bills.get(requestId) ?? []), billed]);
  };
}

/** In 1e-8 USD. */
export interface Sums {
  calls: number;
  charged: bigint;
  /** By the simulator; of jobs, whose provider bills by the work, by the log. */
  billed: bigint;
  /** By the log, at routes that cost what their model is sold at. */
  cost: bigint;
}

export interface Money {
  total: Sums;
  by: Record<"account" | "model" | "route", Map<string, Sums>>;
  /** Groups that were charged less than providers bill. */
  losses: string[];
  /** The chain's first broken link; null: none. */
  broken: object | null;
}

interface Row {
  account_id: bigint;
  model: string;
  request_id: string;
  status: string;
  cost: bigint;
  reserved: bigint;
  units: string | null;
  job_id: string | null;
  prices: Record<string, string>;
  attempts: { route: string; cost?: string }[];
}

export async function moneyOf(db: Db, bills: Bills): Promise<Money> {
  const by: Money["by"] = { account: new Map(), model: new Map(), route: new Map() };
  const total = noSums();
  const counted = new Set<string>();
  const { rows } = await db.pool.query<Row>(
    "select account_id, model, request_id, status, cost, reserved, units, job_id, prices, attempts from usage_log",
  );
  for (const row of rows) {
    const attempts = row.attempts.filter(({ route }) => !isBroken(route));
    const cost = attempts.reduce((sum, attempt) => sum + BigInt(attempt.cost ?? 0), 0n);
    // A repeat that is carried out once more has the id of the first.
    const own = counted.has(row.request_id) ? [] : (bills.get(row.request_id) ?? []);
    counted.add(row.request_id);
    const billed = row.job_id === null ? own.reduce((sum, bill) => sum + billOf(row, bill), 0n) : cost;
    const sums = [total, sumsOf(by.account, String(row.account_id)), sumsOf(by.model, row.model)];
    const route = attempts.at(-1)?.route;
    if (route !== undefined) sums.push(sumsOf(by.route, route));
    for (const sum of sums) add(sum, { calls: 1, charged: row.cost, billed, cost });
  }
  const groups = Object.entries(by).flatMap(([kind, sums]) => [...sums].map(([name, sum]) => ({ name: `${kind} ${name}`, ...sum })));
  const losses = groups
    .filter(({ charged, billed, cost }) => charged < billed || charged < cost)
    .map(({ name, calls, charged, billed, cost }) => `${name}: ${calls} calls charged ${charged}, billed ${billed}, cost ${cost}`);
  return { total, by, losses, broken: (await verifyChain(db)).broken };
}

/** Tokens and searches at the prices of the call; audio at the price of all that was asked for, as its providers bill it. */
function billOf({ prices, units, reserved }: Row, { input, output, searches }: NonNullable<EndedCall["billed"]>): bigint {
  if (units !== null) return reserved;
  const price = (name: string) => BigInt(prices[name] ?? 0);
  const tokens = BigInt(input) * price("input") + BigInt(output) * price("output") + BigInt(searches) * price("web_search");
  return tokens / 10_000n + price("per_request");
}

function noSums(): Sums {
  return { calls: 0, charged: 0n, billed: 0n, cost: 0n };
}

function sumsOf(of: Map<string, Sums>, name: string): Sums {
  const found = of.get(name) ?? noSums();
  of.set(name, found);
  return found;
}

function add(sums: Sums, more: Sums): void {
  sums.calls += more.calls;
  sums.charged += more.charged;
  sums.billed += more.billed;
  sums.cost += more.cost;
}
