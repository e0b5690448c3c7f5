// Sums of each account's and each key's whole weeks. As they lie in the order of their costs, they say which accounts or keys were charged most in a
// long time, without adding up all that called.
import type { Queries } from "../../db/connect.ts";
import { type Piece, piecesOf, weekSizes } from "./periods.ts";
import { type Column, columnsOf, everyColumn, type Page, partOf, type Put, type SnapshotQuestion } from "./summary-parts.ts";

/** The whole weeks within a question's buckets, single ones and four together. */
export interface Weeks {
  kind: "account" | "key";
  pieces: Piece[];
}

/**
 * Null for a question that they don't answer, or not sooner: days of an account lie together in an index, and those of one that calls seldom are
 * fewer than weeks; days of a key don't.
 */
export function weeksOf({ accountId, groups, filter, byCost, span, buckets, added }: SnapshotQuestion): Weeks | null {
  const { callersSince, callersUntil } = added;
  const [kind] = groups;
  if (accountId !== null || groups.length !== 1 || (kind !== "account" && kind !== "key")) return null;
  if (kind === "account" && byCost !== true) return null;
  if (Object.values(filter).some((value) => value !== undefined) || callersSince === null || callersUntil === null) return null;
  const summed = {
    from: new Date(Math.max(span.from.getTime(), callersSince.getTime())),
    to: new Date(Math.min(span.to.getTime(), callersUntil.getTime())),
  };
  const pieces = piecesOf(buckets, summed, weekSizes);
  return pieces.length === 0 ? null : { kind, pieces };
}

/** With more candidates it takes less time to add up all that called. */
const candidatesMax = 20_000;
/** The part of the threshold that the edges get at least: with less, a single call in them would make a candidate. */
const edgeShareMin = 0.1;

/**
 * The groups that were charged most, one more than the limit, of a question of one bucket. Null: too many may be among them.
 *
 * What the leaders of the single sums have in these alone gives a threshold that the groups asked for reach. It is divided among the sums, and what lies
 * beside the weeks ("edge"), by their shares of the time. A group that reaches it in total reaches its part in one of them at least, so only those
 * that do are added up.
 */
export async function readLargest({ pool }: Queries, question: SnapshotQuestion, weeks: Weeks): Promise<Page | null> {
  const values: unknown[] = [];
  const put: Put = (value) => `$${values.push(value)}`;
  const { span, limit, buckets } = question;
  const lengthMs = weeks.pieces.reduce((sum, { since, before }) => sum + before.getTime() - since.getTime(), 0);
  const edgeShare = Math.max(edgeShareMin, 1 - lengthMs / (span.to.getTime() - span.from.getTime()));
  const { list, ofWeek } = sqlOf(weeks, put);
  const most = put(limit + 1);
  const perMinute = `${put(((1 - edgeShare) * 60_000) / lengthMs)}::float8`;
  const edge = partOf(question, put, { of: "calls", only: columnsOf(question), except: weeks.pieces });
  const { rows } = await pool.query<{ id: bigint }>(
    `with edge as materialized (
       select id, sum(cost)::bigint as cost from (${edge}) part(start, id, cost) group by id
     ), leader as (
       (select id, cost from edge order by cost desc limit ${most})
       union all
       select r.id, r.cost from ${list} cross join lateral (select r.id, r.cost from usage_caller r where ${ofWeek} order by r.cost desc limit ${most}) r
     ), threshold as materialized (
       select coalesce((select sum(cost) from leader group by id order by 1 desc offset ${most} - 1 limit 1), 0) as cost
     ), found as materialized (
       select edge.id from edge cross join threshold t where edge.cost >= floor(t.cost * ${put(edgeShare)}::float8)
       union all
       select r.id from ${list} cross join threshold t
       cross join lateral (select r.id from usage_caller r where ${ofWeek} and r.cost >= floor(t.cost * ${perMinute} * w.span)::bigint offset 0) r
       limit ${put(candidatesMax)}
     ), candidate as materialized (
       select distinct id from found where (select count(*) from found) < ${put(candidatesMax)}
     ), part as (
       select id, edge.cost from candidate join edge using (id)
       union all
       select c.id, r.cost from candidate c cross join ${list} cross join lateral (select r.cost from usage_caller r where ${ofWeek} and r.id = c.id offset 0) r
     )
     select id from part group by id order by sum(cost) desc, id::text collate "C" limit ${most}`,
    values,
  );
  if (rows.length === 0) return null;
  return { start: [buckets[0]!.start], [`${weeks.kind}_id`]: rows.map(({ id }) => id) };
}

/** SQL: the sums as `w`, and the rows `r` of one of them. Looked up one by one: by a range of times Postgres 15 reads it whole for each group. */
function sqlOf({ kind, pieces }: Weeks, put: Put) {
  const sums = pieces.flatMap(({ start, minutes, since, before }) => {
    const ms = minutes * 60_000;
    return Array.from({ length: (before.getTime() - since.getTime()) / ms }, (_, n) => ({
      start,
      minutes,
      at: new Date(since.getTime() + n * ms),
    }));
  });
  const [starts, minutes, times] = [sums.map(({ start }) => start), sums.map((sum) => sum.minutes), sums.map(({ at }) => at)].map(put);
  return {
    list: `unnest(${starts}::timestamptz[], ${minutes}::int[], ${times}::timestamptz[]) w(start, span, starts_at)`,
    ofWeek: `r.span = w.span and r.starts_at = w.starts_at and r.kind = ${put(kind)}`,
  };
}

/** By which the sums of a week are not told apart, but for the one that they are of. */
const apart: readonly Column[] = ["account_id", "key_id", "model", "operation", "failed", "route", "tag"];

/** SQL of the rows that the page's groups have in the weeks, with all columns of partOf's. */
export function rowsOfWeeks(weeks: Weeks, page: Page, put: Put): string {
  const { list, ofWeek } = sqlOf(weeks, put);
  const own = `${weeks.kind}_id` as const;
  const shown = everyColumn.map((name) => (name === own ? "r.id" : apart.includes(name) ? "null" : `r.${name}`));
  return `select ${["w.start", ...shown].join(", ")} from ${list}
    cross join lateral (select * from usage_caller r where ${ofWeek} and r.id = any(array(select unnest(${put(page[own])}::bigint[]))) offset 0) r
    where w.start = any(${put(page.start)}::timestamptz[])`;
}
