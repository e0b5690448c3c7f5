// What a gateway in front of several shards would do with a batcher's batch: one statement a shard, the answers put together again. The
// whole contract: a batch's arrays run in parallel, the first of bigints says whose each item is.
import { shardOf } from "./shard-guard.ts";

type Values = readonly unknown[];

/** A part of a batch: the values for one shard, and where its items stood, counted from 0. */
interface Part {
  values: unknown[];
  places: number[];
}

/** One part where the statement is no batch, or all of it is of one shard. */
export function groupByShard(text: string, values: Values): Part[] {
  if (values.some(isArrayText)) return groupByShard(text, values.map(unpacked));
  if (text.includes(" rate_take(")) return takesByShard(values);
  if (text.includes(" admit_calls(")) return callsByShard(values);
  const accounts = values.find((value): value is bigint[] => Array.isArray(value) && typeof value[0] === "bigint");
  if (accounts === undefined) return [{ values: [...values], places: [] }];
  return byShard(accounts).map((places) => ({ values: values.map((value) => ofPlaces(value, places, accounts.length)), places }));
}

/** As src/db/arrays.ts writes lists. */
function isArrayText(value: unknown): value is string {
  return typeof value === "string" && /^\{.*\}$/.test(value);
}

function unpacked(value: unknown): unknown {
  if (!isArrayText(value)) return value;
  const elements = value.slice(1, -1);
  return elements === "" ? [] : elements.split(",").map(plainValue);
}

function plainValue(text: string): bigint | string | null {
  if (text === "NULL") return null;
  return /^-?\d+$/.test(text) ? BigInt(text) : text;
}

/** Rows that name their item by `n` get its place in the whole batch. */
export function joinRows(parts: readonly Part[], rows: readonly Record<string, unknown>[][]): Record<string, unknown>[] {
  return rows.flatMap((some, part) =>
    some.map((row) => (typeof row.n === "number" ? { ...row, n: (parts[part]?.places[row.n - 1] ?? 0) + 1 } : row)),
  );
}

function byShard(accounts: readonly bigint[]): number[][] {
  const places = Map.groupBy(accounts.keys(), (place) => shardOf(accounts[place] as bigint));
  return [...places.values()];
}

function ofPlaces(value: unknown, places: readonly number[], length: number): unknown {
  if (Array.isArray(value) && value.length === length) return places.map((place) => value[place] as unknown);
  if (typeof value !== "string" || !value.startsWith("[")) return value;
  const items = JSON.parse(value) as unknown[];
  return JSON.stringify(places.map((place) => items[place]));
}

/** rate_take's windows are one batch and its takes another, grouped by request, that names windows by their place. */
function takesByShard([accounts, buckets, seconds, starts, requests, windows, amounts, limits]: Values): Part[] {
  const numbers = (column: unknown) => (column as (number | bigint)[]).map(Number);
  const all = { accounts, buckets, seconds, starts, requests: numbers(requests), windows: numbers(windows), amounts, limits } as {
    accounts: bigint[];
    requests: number[];
    windows: number[];
    [name: string]: unknown[];
  };
  return byShard(all.accounts).map((places) => {
    const own = places.map((place) => place + 1);
    const takes = [...all.windows.keys()].filter((take) => own.includes(all.windows[take] as number));
    const windowValues = [all.accounts, all.buckets!, all.seconds!, all.starts!].map((column) => places.map((place) => column[place]));
    const takeValues = [
      takes.map((take) => all.requests[take]),
      takes.map((take) => own.indexOf(all.windows[take] as number) + 1),
      takes.map((take) => all.amounts![take]),
      takes.map((take) => all.limits![take]),
    ];
    const asked = [...new Set(takes.map((take) => (all.requests[take] as number) - 1))];
    return { values: [...windowValues, ...takeValues], places: asked };
  });
}

/** A row a request, in order; what gives back is one request of several accounts, whose answer nobody reads. */
export function joinTakes(parts: readonly Part[], rows: readonly Record<string, unknown>[][]): Record<string, unknown>[] {
  const joined: Record<string, unknown>[] = [];
  rows.forEach((some, part) => some.forEach((row, index) => (joined[parts[part]?.places[index] as number] = row)));
  return joined;
}

/** admit_calls takes several batches, each with its accounts first: balances, budgets, windows, calls. */
function callsByShard(values: Values): Part[] {
  const given = 3; // who asks, for how long, and which window is shown
  const batches = [2, 3, 5, 4].map((columns, at, all) => {
    const from = given + all.slice(0, at).reduce((sum, one) => sum + one, 0);
    return values.slice(from, from + columns) as unknown[][];
  });
  const shards = new Set((batches[0]![0] as bigint[]).map(shardOf));
  return [...shards].map((shard) => {
    const own = batches.flatMap((columns) => {
      const places = [...columns[0]!.keys()].filter((place) => shardOf(columns[0]![place] as bigint) === shard);
      return columns.map((column) => places.map((place) => column[place]));
    });
    return { values: [...values.slice(0, given), ...own], places: [] };
  });
}

/** One row of lists for each part. */
export function joinLists(rows: readonly Record<string, unknown>[][]): Record<string, unknown>[] {
  const all = rows.map(([row]) => row!);
  const listOf = (name: string) => all.flatMap((row) => (row[name] as unknown[] | null) ?? []);
  return [Object.fromEntries(Object.entries(all[0]!).map(([name, value]) => [name, name === "at_ms" ? value : listOf(name)]))];
}
