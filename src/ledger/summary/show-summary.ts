// Shows sums of the usage log as the contract does: as JSON, as lines of JSON and as comma-separated values; percentiles are read from
// histograms of durations as the database adds them (src/db/functions/usage_histogram.sql).
import type { components } from "../../../generated/api.d.ts";
import { accountIdText, keyIdText, userIdText } from "../../ids.ts";
import { parseJson } from "../../json/parse.ts";
import { toUsd } from "../../money.ts";
import { csvText } from "../../text/export.ts";
import type { Figures, SummaryRow } from "./read-summary.ts";
import type { SummaryGroup } from "./summary-parts.ts";

type ShownFigures = components["schemas"]["UsageFigures"];
type ShownRow = components["schemas"]["UsageSummaryRow"];

export function showFigures(figures: Figures): ShownFigures {
  const [latency50, latency95] = percentilesOf(figures.latency, [0.5, 0.95]);
  const [ttft50, ttft95] = percentilesOf(figures.firstByte, [0.5, 0.95]);
  return {
    requests: Number(figures.requests),
    errors: Number(figures.errors),
    prompt_tokens: Number(figures.input + figures.cacheRead + figures.cacheWrite),
    cached_tokens: Number(figures.cacheRead),
    cache_write_tokens: Number(figures.cacheWrite),
    completion_tokens: Number(figures.output),
    reasoning_tokens: Number(figures.reasoning),
    cost_usd: toUsd(figures.cost),
    latency_p50_ms: latency50!,
    latency_p95_ms: latency95!,
    ttft_p50_ms: ttft50!,
    ttft_p95_ms: ttft95!,
  };
}

export function showRow(row: SummaryRow, groups: readonly SummaryGroup[]): ShownRow {
  return { ...namesOf(row, groups), ...showFigures(row) };
}

function namesOf(row: SummaryRow, groups: readonly SummaryGroup[]) {
  const named = groups.map((group, index) => [group, shownName(group, row.names[index]!)] as const);
  return { start: row.start.toISOString(), ...(Object.fromEntries(named) as Partial<ShownRow>) };
}

/** With what operators see beside: providers' charges. */
export function showStaffFigures(figures: Figures): components["schemas"]["OperatorUsageFigures"] {
  const { requests, cost, unmatched } = figures;
  const expense = requests === 0n ? 0n : figures.expense;
  const [provider_cost_usd, margin_usd] = expense === null ? [null, null] : [toUsd(expense), toUsd(cost - unmatched - expense)];
  return { ...showFigures(figures), provider_cost_usd, margin_usd, revenue_without_cost_usd: toUsd(unmatched) };
}

export function showStaffRow(row: SummaryRow, groups: readonly SummaryGroup[]): components["schemas"]["OperatorUsageSummaryRow"] {
  return { ...namesOf(row, groups), ...showStaffFigures(row) };
}

/** Key 0 stands for a session; no member for keys that came with the account, too. */
function shownName(group: SummaryGroup, name: string): string | null {
  if (group === "account") return accountIdText(BigInt(name));
  if (group === "member") return name === "" ? null : userIdText(name);
  if (group !== "key") return name;
  return name === "0" ? null : keyIdText(BigInt(name));
}

const idPrefix = "sum_";

/** The id holds the row's place in the order, so that a cursor needs no lookup. */
export function summaryRowId({ start, names }: SummaryRow): string {
  return idPrefix + Buffer.from(JSON.stringify([start.getTime(), ...names])).toString("base64url");
}

/** Undefined: not an id of a list with so many groups. */
export function parseSummaryRowId(text: string, groups: number): { start: Date; names: string[] } | undefined {
  const [ms, ...names] = placeIn(text.slice(idPrefix.length));
  const start = new Date(typeof ms === "number" ? ms : NaN);
  const isOne = !Number.isNaN(start.getTime()) && names.length === groups;
  return isOne && names.every((name) => typeof name === "string" && !name.includes("\0")) ? { start, names: names as string[] } : undefined;
}

function placeIn(base64: string): unknown[] {
  try {
    const place = parseJson(Buffer.from(base64, "base64url").toString());
    return Array.isArray(place) ? place : [];
  } catch {
    return [];
  }
}

const figureNames = [
  ...["requests", "errors", "prompt_tokens", "cached_tokens", "cache_write_tokens", "completion_tokens", "reasoning_tokens", "cost_usd"],
  ...["latency_p50_ms", "latency_p95_ms", "ttft_p50_ms", "ttft_p95_ms"],
];

/** RFC 4180, with a line of names first, also where there are no rows. */
export function csvOf(rows: readonly ShownRow[], groups: readonly SummaryGroup[], more: readonly string[] = []): string {
  const names = ["start", ...groups, ...figureNames, ...more];
  const lines = rows.map((row) => names.map((name) => (row as unknown as Record<string, string | number | null>)[name]!));
  return csvText([names, ...lines]);
}

/** A histogram is one decimal number, whose groups of 12 digits are the counts of buckets that grow by a tenth. */
const growth = 1.1;
const digits = 12;

/** The duration that each of these shares of the calls stayed within, in whole milliseconds, 5 % off at most; null: there were none. */
export function percentilesOf(histogram: string, shares: readonly number[]): (number | null)[] {
  const counts: number[] = [];
  for (let end = histogram.length; end > 0; end -= digits) counts.push(Number(histogram.slice(Math.max(0, end - digits), end)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  return shares.map((share) => (total === 0 ? null : durationAt(counts, Math.ceil(total * share))));
}

/** Of the call with this place in the order of durations, from 1. The middle of its bucket is as far from both of its ends. */
function durationAt(counts: readonly number[], place: number): number {
  let before = 0;
  const bucket = counts.findIndex((count) => (before += count) >= place);
  return Math.round((2 * growth ** bucket) / (growth + 1));
}
