// Reads percentiles from histograms of durations as the database adds them (src/db/functions/usage_histogram.sql): one decimal number, whose
// groups of 12 digits are the counts of buckets that grow by a tenth.

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
