// What a soak found, in words and figures, and what of it is a fault.
import { strayRows } from "./soak-leftovers.ts";
import { usdText } from "../../src/money.ts";
import type { Money } from "./soak-money.ts";
import { leftIn, lineOf, type Sample, type Soak } from "./soak-run.ts";
import { isFlat, slopeOf } from "./soak-slope.ts";

export interface Report {
  text: string[];
  faults: string[];
  soak: Soak;
}

/** Bytes a call: less than the smallest object that could be forgotten by one call in two. */
const heapNoise = 16;
/** Pages of 4 KB that the allocator can't give back, one in sixteen calls. */
const residentNoise = 256;

/** An upstream of the soak answers 401; refusals with 5xx are warnings, and what many upstreams here deserve. */
const expectedError = "an upstream refuses our credentials or account";

export function reportOf(soak: Soak): Report {
  const { samples, before, after, made, rows, audit, money } = soak;
  const settled = samples.slice(Math.floor(samples.length / 3));
  const trend = (of: (sample: Sample) => number) => slopeOf(settled.map((sample) => ({ x: sample.calls, y: of(sample) })));
  const heap = trend((sample) => sample.heap);
  const external = trend((sample) => sample.external);
  const resident = trend((sample) => sample.resident);
  const verdict = (name: string, slope: typeof heap, smallest: number) => ({
    isFlat: isFlat(slope, smallest),
    line: `${name.padEnd(9)} ${slope.perUnit.toFixed(1)} +- ${slope.error.toFixed(1)} bytes a call: ${isFlat(slope, smallest) ? "0 within noise" : "IT RISES"} (below 2 standard errors, or below ${smallest})`,
  });
  const slopes = [verdict("heap", heap, heapNoise), verdict("external", external, heapNoise), verdict("resident", resident, residentNoise)];
  const stray = strayRows(rows.before, rows.after);
  const failed = soak.log.filter(({ level, msg }) => Number(level) >= 50 && msg !== expectedError);
  const faults = [
    ...slopes.filter((slope) => !slope.isFlat).map(({ line }) => line),
    ...leftIn(before, after),
    ...(after.reservations > 0 ? [`${after.reservations} reservations are left`] : []),
    ...(audit.holds_open > 0 ? [`${audit.holds_open} holds of jobs are left`] : []),
    ...(after.jobs > 0 ? [`${after.jobs} jobs never ended`] : []),
    ...audit.mismatches.map((mismatch) => `the books don't agree: ${JSON.stringify(mismatch)}`),
    ...money.losses.map((line) => `less was charged than providers bill: ${line}`),
    ...(money.broken === null ? [] : [`the chain is broken: ${JSON.stringify(money.broken)}`]),
    ...stray.map((line) => `rows where none belong: ${line}`),
    ...soak.tempFiles.map((path) => `a file is left: ${path}`),
    ...(made.broken > 0 ? [`${made.broken} connections broke though their clients stayed`] : []),
    ...(made.hung.length > 0 ? [`${made.hung.length} calls never ended: ${[...new Set(made.hung)].join(", ")}`] : []),
    ...failed.slice(0, 20).map((line) => `in the log: ${JSON.stringify(line)}`),
  ];
  const kinds = Object.entries(made.byKind).map(([name, { calls, answered }]) => `${name} ${answered}/${calls}`);
  const text = [
    "",
    `load      ${made.calls} calls in ${(soak.seconds / 60).toFixed(1)} min, ${made.left} left by their clients, ${made.broken} broke; ${(soak.cpuShare * 100).toFixed(0)} % of a core`,
    `statuses  ${Object.entries(made.byStatus)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ")}`,
    `answered  ${kinds.join(", ")}`,
    `before    ${lineOf(before)}`,
    `after     ${lineOf(after)}`,
    ...slopes.map(({ line }) => line),
    `live      ${Object.entries(soak.live.after)
      .map(([name, count]) => `${name} ${soak.live.before[name]} before, ${count} after`)
      .join("; ")}`,
    `rows      ${Object.entries(rows.after)
      .map(([table, count]) => `${table} ${count}`)
      .join(", ")}`,
    `audit     ${audit.accounts} accounts, ${audit.entries} entries, ${audit.mismatches.length} mismatches, ${audit.holds_open} holds, ${audit.reservations_open} reservations`,
    `money     ${money.total.calls} calls charged ${usdText(money.total.charged)} USD, billed ${usdText(money.total.billed)}, cost by the log ${usdText(money.total.cost)}; ${groupsOf(money)}; ${money.losses.length} groups at a loss`,
    `log       ${soak.log.length} lines, ${failed.length} faults`,
    ...soak.grown,
    faults.length === 0 ? "verdict   nothing is left" : `verdict   ${faults.length} FAULTS`,
  ];
  return { text, faults, soak };
}

function groupsOf({ by }: Money): string {
  return Object.entries(by)
    .map(([kind, sums]) => `${sums.size} ${kind}s`)
    .join(", ");
}
