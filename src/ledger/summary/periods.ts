// Divides a time into the hours, days or months of a time zone, and each of these into the fewest periods that there are sums of: days, hours
// and quarters of an hour of UTC. Today's zones all change by whole quarters. The zones' rules are the database's, so that one set counts. And the SQL
// that reads these sums, and what they don't have, in the log.
import type { Queries } from "../../db/connect.ts";

/** `all`: the whole span. */
export type BucketName = "hour" | "day" | "month" | "all";

/** Exclusive of `to`. */
export interface Span {
  from: Date;
  to: Date;
}

export interface Bucket {
  /** Where it starts in its zone, which may be before the span does. */
  start: Date;
  /** Where it starts within the span, to a quarter of an hour. */
  since: Date;
}

const quarterMs = 15 * 60_000;
const hourMs = 4 * quarterMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

export const floorQuarter = (at: Date): Date => new Date(Math.floor(at.getTime() / quarterMs) * quarterMs);
export const ceilQuarter = (at: Date): Date => new Date(Math.ceil(at.getTime() / quarterMs) * quarterMs);

/** By the local time of each quarter, since clocks may be set by half an hour. */
const hours = `
  select q - (local - date_trunc('hour', local)) as start, min(q) as since
  from generate_series($1::timestamptz, $2::timestamptz - interval '1 microsecond', interval '15 minutes') q
  cross join lateral (select q at time zone $3 as local) l group by 1`;

/** Where the clock is set back over midnight, the day began an hour before what Postgres takes for its midnight. */
const daysBy = (unit: "day" | "month") => `
  select start, start as since from (
    select case when (at - interval '1 hour') at time zone $3 >= g then at - interval '1 hour' else at end as start
    from generate_series(date_trunc('${unit}', $1::timestamptz at time zone $3), $2::timestamptz at time zone $3, interval '1 ${unit}') g
    cross join lateral (select g at time zone $3 as at) l
  ) s where start < $2`;

const queries: Record<Exclude<BucketName, "all">, string> = { hour: hours, day: daysBy("day"), month: daysBy("month") };

/** In their order; at most `most` and one. Null: the database knows no such zone. */
export async function bucketsOf(
  { pool }: Queries,
  { from, to }: Span,
  { bucket, timezone, most }: { bucket: BucketName; timezone: string; most: number },
): Promise<Bucket[] | null> {
  if (bucket === "all") return [{ start: from, since: floorQuarter(from) }];
  try {
    const { rows } = await pool.query<Bucket>(`${queries[bucket]} order by 2 limit $4`, [floorQuarter(from), to, timezone, most + 1]);
    return rows;
  } catch (error) {
    if ((error as { code?: unknown }).code === "22023") return null;
    throw error;
  }
}

/** Whole periods of so many minutes, in one bucket. */
export interface Piece {
  start: Date;
  minutes: number;
  since: Date;
  before: Date;
}

/** In milliseconds, the longest first. */
const sizes = [dayMs, hourMs, quarterMs];
/** They begin on Thursdays, as the epoch did. */
export const weekSizes = [4 * weekMs, weekMs];

/** In their order: what periods of these sizes there are within the span. */
export function piecesOf(buckets: readonly Bucket[], { from, to }: Span, of: readonly number[] = sizes): Piece[] {
  return buckets.flatMap(({ start, since }, index) => {
    const end = Math.min(to.getTime(), buckets[index + 1]?.since.getTime() ?? Infinity);
    return divide(Math.max(from.getTime(), since.getTime()), end, of).map((part) => ({
      start,
      minutes: part.ms / 60_000,
      since: new Date(part.since),
      before: new Date(part.before),
    }));
  });
}

/** What of the span lies before, between and after pieces of it, which are in their order. */
export function spansBeside({ from, to }: Span, pieces: readonly Piece[]): Span[] {
  const gaps = [from, ...pieces.map(({ before }) => before)].map((end, index) => ({ from: end, to: pieces[index]?.since ?? to }));
  return gaps.filter((gap) => gap.from < gap.to);
}

interface Part {
  ms: number;
  since: number;
  before: number;
}

/** Such as quarters up to an hour, hours up to a day, days, and back again. */
function divide(since: number, before: number, [ms, ...finer]: readonly number[]): Part[] {
  if (since >= before || ms === undefined) return [];
  const [first, last] = [Math.ceil(since / ms) * ms, Math.floor(before / ms) * ms];
  if (first >= last) return divide(since, before, finer);
  return [...divide(since, first, finer), { ms, since: first, before: last }, ...divide(last, before, finer)];
}

/**
 * The table's sums of the period `p`, as `r`. Each period is looked up by itself, which the offset holds the planner to: joined, the periods look to it
 * like very many rows, for which it walks the whole table.
 */
export function sumsWithin(table: string, { since = "p.since", before = "p.before", where = "true", columns = "*" } = {}): string {
  return `lateral (select ${columns} from ${table} r where r.span = p.span and r.starts_at >= ${since} and r.starts_at < ${before} and ${where} offset 0) r`;
}

/** What of the log has been added to the sums. */
export interface Added {
  /** A time of the database, which is finer than a Date. */
  until: string;
  /** Whether any row of the log before it has not. */
  hasLate: boolean;
  /** Since when there are sums over all accounts, and those of routes; a number: since ever. Null: there are none yet. */
  wholeSince: Date | number | null;
  routesSince: Date | number | null;
  /** Between which weeks there are sums of the callers; null: there are none yet. */
  callersSince: Date | null;
  callersUntil: Date | null;
}

/**
 * Of the snapshot that the sums are then read in. Known to the planner, it tells which few rows and months of the log are left to read. The snapshot's
 * statements are not compiled: that takes longer than they do.
 */
export async function readAdded({ pool }: Queries): Promise<Added> {
  const { rows } = await pool.query<Added>(
    `select closed_until::text as until, exists (select from usage_late) as "hasLate", whole_since as "wholeSince", routes_since as "routesSince",
       callers_since as "callersSince", callers_until as "callersUntil", set_config('jit', 'off', true)
     from usage_rollup_state`,
  );
  return rows[0]!;
}

/** SQL of times: the span asked for, the whole quarters of an hour in it that are read in the sums, and until when these are made. */
interface SumTimes {
  since: string;
  wholeSince: string;
  wholeUntil: string;
  until: string;
  addedUntil: string;
}

/**
 * What of the log the sums don't have: outside the whole quarters, after the time until which they are made, and rows that came late. `select`
 * reads relations that have a row of the log as `l`; `of` has its account and time, which `within` bounds.
 */
export function besideSums(
  { since, wholeSince, wholeUntil, until, addedUntil }: SumTimes,
  { hasLate }: Pick<Added, "hasLate">,
  select: (rows: string, of: "l" | "late", within: string) => string,
): string {
  // A time without an instant is not looked for at all.
  const between = (of: "l" | "late", from: string, to: string) =>
    `${of}.created_at >= ${from} and ${of}.created_at < ${to} and ${from} < ${to}`;
  const added = `least(greatest(${wholeSince}, ${addedUntil}), ${wholeUntil})`;
  const late = "usage_late late join usage_log l on l.account_id = late.account_id and l.created_at = late.created_at and l.id = late.id";
  return [
    select("usage_log l", "l", between("l", since, wholeSince)),
    select("usage_log l", "l", between("l", added, until)),
    ...(hasLate ? [select(late, "late", `${between("late", wholeSince, added)} and ${between("l", wholeSince, added)}`)] : []),
  ].join(" union all ");
}
