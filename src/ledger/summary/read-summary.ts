// Sums up the usage log, exactly and of one moment: whole quarters of an hour from the rollups, and from the log what these don't have: the last
// minutes, rows that came late (src/db/functions/usage_roll_up.sql), and what lies between a quarter and an end of the span.
import type { Queries } from "../../db/connect.ts";
import type { Amount } from "../../money.ts";
import { type Bucket, ceilQuarter, floorQuarter, piecesOf, type Span } from "./periods.ts";

/** What may be grouped by, as an expression over `part`; never null, so that pages have an order. */
const groupTexts = {
  account: "account_id::text",
  key: "key_id::text",
  member: "coalesce(maker, '')",
  model: "model",
  operation: "operation",
  provider: "split_part(route, '/', 1)",
  route: "route",
  status: "case when failed then 'failed' else 'success' end",
  tag: "tag",
} as const;
export type SummaryGroup = keyof typeof groupTexts;

/** Absent fields match all calls. */
export interface SummaryFilter {
  model?: string | undefined;
  operation?: string | undefined;
  status?: "success" | "failed" | undefined;
  route?: string | undefined;
  provider?: string | undefined;
  /** Any of these. */
  keyIds?: readonly bigint[] | undefined;
  /** UUID of the person who created the key. */
  member?: string | undefined;
  /** key:value. */
  tag?: string | undefined;
  /** Which tags are groups; not which calls are counted. */
  tagKey?: string | undefined;
}

export interface SummaryQuestion {
  /** Null: of all accounts. */
  accountId: bigint | null;
  span: Span;
  buckets: readonly Bucket[];
  groups: readonly SummaryGroup[];
  filter: SummaryFilter;
  /** Only groups after this one: its start and its groups' texts. */
  after?: { start: Date; names: readonly string[] } | undefined;
  limit: number;
}

export interface Figures {
  requests: bigint;
  errors: bigint;
  input: bigint;
  cacheRead: bigint;
  cacheWrite: bigint;
  output: bigint;
  reasoning: bigint;
  cost: Amount;
  /** Null: no route named its cost. */
  expense: Amount | null;
  /** Of the cost, what calls brought in whose last route named none. */
  unmatched: Amount;
  /** Histograms: show-summary.ts. */
  latency: string;
  firstByte: string;
}

export interface SummaryRow extends Figures {
  start: Date;
  /** In the order of the groups. */
  names: string[];
}

export interface Summary {
  /** By start, then by their groups' texts; one more than the limit, if there are more. */
  rows: SummaryRow[];
  total: Figures;
}

const figureSums = `coalesce(sum(requests), 0)::bigint as requests, coalesce(sum(requests) filter (where failed), 0)::bigint as errors,
  coalesce(sum(input_tokens), 0)::bigint as input, coalesce(sum(cache_read_tokens), 0)::bigint as "cacheRead",
  coalesce(sum(cache_write_tokens), 0)::bigint as "cacheWrite", coalesce(sum(output_tokens), 0)::bigint as output,
  coalesce(sum(reasoning_tokens), 0)::bigint as reasoning, coalesce(sum(cost), 0)::bigint as cost, sum(expense)::bigint as expense,
  coalesce(sum(unmatched), 0)::bigint as unmatched,  coalesce(sum(latency), 0)::text as latency, coalesce(sum(first_byte), 0)::text as "firstByte"`;

/** UUIDs of the persons who created the keys. */
const makers = `left join (select k.id as made, a.user_id::text as maker from api_key k join account a on a.id = k.created_by) maker on made = key_id`;

/** One statement, so that a call that settles meanwhile is in all of it or in nothing. */
export async function readSummary({ pool }: Queries, question: SummaryQuestion): Promise<Summary> {
  const values: unknown[] = [];
  const put = (value: unknown) => `$${values.push(value)}`;
  const { groups, after, limit, filter } = question;
  const texts = groups.map((group) => `${groupTexts[group]} collate "C"`);
  const byTag = groups.includes("tag") && filter.tag === undefined;
  const ids = groups.flatMap((group) => (group === "account" || group === "key" ? [`${group}_id`] : []));
  const isPaged = !byTag && ids.length > 0 && isOfEveryone({ ...question, groups: [] }, "calls");
  const order = ["start", ...texts].join(", ");
  const place = after === undefined ? null : `(${order}) > (${[after.start, ...after.names].map(put).join(", ")})`;
  const most = put(limit + 2);
  // Of very many accounts or keys those of the page are found first, without adding their figures: an index knows them.
  const named = ["start", ...ids].join(", ");
  const page = isPaged
    ? `with page as materialized (select ${named} from (${partOf(question, "calls", put)}) part where ${place ?? "true"}
         group by ${named}, ${order} order by ${order} limit ${most})`
    : "";
  const part = partOf(question, byTag ? "tags" : "calls", put, isPaged ? ["start", ...ids] : []);
  const isApart = byTag || isPaged;
  const grouped = `
    select grouping(start) = 1 as "isTotal", start, array[${texts.join(", ")}]::text[] as names, ${figureSums}
    from (${part}) part ${groups.includes("member") ? makers : ""}
    group by ${isApart ? order : `grouping sets ((${order}), ())`}
    having ${isApart ? "false" : "grouping(start) = 1"} or ${place ?? "grouping(start) = 0"}
    order by grouping(start) desc, ${order}
    limit ${most}`;
  // Calls have several tags, or none: their total is not the sum of the tags'. And the total of all accounts has sums of its own.
  const total = isApart
    ? `(select true as "isTotal", null::timestamptz as start, null::text[] as names, ${figureSums}
        from (${partOf({ ...question, groups: [] }, "calls", put)}) part) union all`
    : "";
  const { rows } = await pool.query<SummaryRow & { isTotal: boolean }>(`${page} ${total} (${grouped})`, values);
  const [first, ...rest] = rows;
  return { total: first!, rows: rest.slice(0, limit + 1) };
}

/** Where no route was asked, as for a kept answer, the cost is nothing. */
const expense = (sum: string, unasked: string) => `coalesce(${sum}, case when ${unasked} then 0 end)`;

type Put = (value: unknown) => string;

/** What the rollups have of each period, and rows of the log, as the same columns. `tags`: a row for each tag of a call; `paged`: what is as in `page`. */
function partOf(question: SummaryQuestion, of: "calls" | "tags", put: Put, paged: readonly string[] = []): string {
  const { accountId, span, buckets, filter } = question;
  const [first, last] = [ceilQuarter(span.from), floorQuarter(span.to)];
  const whole = first < last ? { from: first, to: last } : { from: span.to, to: span.to };
  const pieces = piecesOf(buckets, whole);
  const arrays = [pieces.map((p) => p.start), pieces.map((p) => p.minutes), pieces.map((p) => p.since), pieces.map((p) => p.before)].map(
    put,
  );
  const mine = (table: string) => (accountId === null ? "true" : `${table}.account_id = ${put(accountId)}`);
  const ofPage = (table: string, columns: readonly string[]) =>
    columns.map((column) => ` and ${table}.${column} = any(array(select ${column} from page))`).join("");
  const [pagedStart, pagedIds] = [paged.slice(0, 1), paged.slice(1)];
  const tagHash = filter.tag === undefined ? `usage_tag_hash(null)` : `usage_tag_hash(${put(filter.tag)})`;
  const start = `(${put(buckets.map((b) => b.start))}::timestamptz[])[width_bucket(l.created_at, ${put(buckets.map((b) => b.since))}::timestamptz[])]`;
  const tags = of === "tags" ? "usage_tags(l.tags) tag" : `(select ${filter.tag === undefined ? "null" : put(filter.tag)}::text) one(tag)`;
  const tagged = of === "calls" && filter.tag !== undefined ? ` and ${put(filter.tag)} in (select usage_tags(l.tags))` : "";
  const fromLog = (rows: string) => `
    select ${start}, l.account_id, l.model, coalesce(l.key_id, 0), l.operation, l.status = 'failed', coalesce(l.attempts -> -1 ->> 'route', ''), tag,
      1, l.input_tokens, l.cache_read_tokens, l.cache_write_tokens, l.output_tokens, l.reasoning_tokens, l.cost, ${expense("l.expense", "l.attempts = '[]'")},
      case when usage_lacks_cost(l.attempts) then l.cost else 0 end, usage_histogram(l.latency_ms), usage_histogram(case when l.stream then l.first_byte_ms end)
    from ${rows}${tagged}`;
  const made =
    filter.member === undefined
      ? ""
      : ` and key_id in (select k.id from api_key k join account a on a.id = k.created_by where ${mine("k")} and a.user_id = ${put(filter.member)})`;
  const [since, until, wholeSince, wholeUntil] = [span.from, span.to, whole.from, whole.to].map(put);
  const figures = (
    unmatched: string,
  ) => `r.requests, r.input_tokens, r.cache_read_tokens, r.cache_write_tokens, r.output_tokens, r.reasoning_tokens,
      r.cost, ${expense("r.expense", "r.route = ''")}, ${unmatched}, r.latency, r.first_byte`;
  const periods = `unnest(${arrays[0]}::timestamptz[], ${arrays[1]}::int[], ${arrays[2]}::timestamptz[], ${arrays[3]}::timestamptz[]) p(start, span, since, before)`;
  const ofEach = (before: string) => `
    select p.start, r.account_id, r.model, r.key_id, r.operation, r.failed, r.route, r.tag, ${figures("usage_unmatched(r.unmatched, r.expense, r.route, r.cost)")}
    from ${periods} cross join ${sumsWithin("usage_rollup", { before, where: `${mine("r")} and r.tag_hash ${of === "tags" ? "<> usage_tag_hash(null)" : `= ${tagHash}`}${ofPage("r", pagedIds)}` })}
    where true${ofPage("p", pagedStart)}`;
  const everyoneSince = "(select coalesce(whole_since, 'infinity') from usage_rollup_state)";
  const ofEveryone = () => `
    select p.start, 0, r.model, 0, r.operation, r.failed, r.route, null, ${figures("r.unmatched")}
    from ${periods} cross join ${sumsWithin("usage_total", { since: `greatest(p.since, ${everyoneSince})` })}
    union all ${ofEach(`least(p.before, ${everyoneSince})`)}`;
  const beside = besideSums({ since: since!, wholeSince: wholeSince!, wholeUntil: wholeUntil!, until: until! }, (rows, of, within) =>
    fromLog(`${rows} cross join ${tags} where ${mine(of)} and ${within}`),
  );
  return `select * from (
    ${isOfEveryone(question, of) ? ofEveryone() : ofEach("p.before")}
    union all ${beside}
  ) part(start, account_id, model, key_id, operation, failed, route, tag, requests, input_tokens, cache_read_tokens, cache_write_tokens,
    output_tokens, reasoning_tokens, cost, expense, unmatched, latency, first_byte) where true${ofPage("part", paged)}${conditions(filter, of, put)}${made}`;
}

/**
 * The table's sums of the period `p`, as `r`. Each period is looked up by itself, which the offset holds the planner to: joined, the periods look to it
 * like very many rows, for which it walks the whole table.
 */
export function sumsWithin(table: string, { since = "p.since", before = "p.before", where = "true" } = {}): string {
  return `lateral (select * from ${table} r where r.span = p.span and r.starts_at >= ${since} and r.starts_at < ${before} and ${where} offset 0) r`;
}

/** SQL of times: the span asked for, and the whole quarters of an hour in it that are read in the sums. */
interface SumTimes {
  since: string;
  wholeSince: string;
  wholeUntil: string;
  until: string;
}

/**
 * What of the log the sums don't have: outside the whole quarters, after the time until which they are made, and rows that came late. `select`
 * reads relations that have a row of the log as `l`; `of` has its account and time, which `within` bounds.
 */
export function besideSums(
  { since, wholeSince, wholeUntil, until }: SumTimes,
  select: (rows: string, of: "l" | "late", within: string) => string,
): string {
  const closed = "(select closed_until from usage_rollup_state)";
  // A time without an instant is not looked for at all.
  const log = (from: string, to: string) =>
    select("usage_log l", "l", `l.created_at >= ${from} and l.created_at < ${to} and ${from} < ${to}`);
  const late = "usage_late late join usage_log l on l.account_id = late.account_id and l.created_at = late.created_at and l.id = late.id";
  return [
    log(since, wholeSince),
    log(`least(greatest(${wholeSince}, ${closed}), ${wholeUntil})`, until),
    select(late, "late", `late.created_at >= ${wholeSince} and late.created_at < least(${wholeUntil}, ${closed})`),
  ].join(" union all ");
}

/** What each of the accounts was charged for its calls; without those that were charged nothing. */
export async function readSpent({ pool }: Queries, accountIds: readonly bigint[], { from, to }: Span): Promise<Map<bigint, Amount>> {
  const whole = { from: ceilQuarter(from), to: floorQuarter(to) };
  const pieces = piecesOf([{ start: whole.from, since: whole.from }], whole);
  const times = { since: "$2::timestamptz", wholeSince: "$3::timestamptz", wholeUntil: "$4::timestamptz", until: "$5::timestamptz" };
  const beside = besideSums(
    times,
    (rows, of, within) => `select l.account_id, l.cost from ${rows} where ${of}.account_id = any($1) and ${within}`,
  );
  const { rows } = await pool.query<{ accountId: bigint; spent: Amount }>(
    `select account_id as "accountId", sum(cost)::bigint as spent from (
       select r.account_id, r.cost from unnest($1::bigint[]) a(id) cross join unnest($6::int[], $7::timestamptz[], $8::timestamptz[]) p(span, since, before)
       cross join ${sumsWithin("usage_rollup", { where: "r.account_id = a.id and r.tag_hash = usage_tag_hash(null)" })}
       union all ${beside}
     ) part(account_id, cost) group by 1`,
    [accountIds, from, whole.from, whole.to, to, pieces.map((p) => p.minutes), pieces.map((p) => p.since), pieces.map((p) => p.before)],
  );
  return new Map(rows.map(({ accountId, spent }) => [accountId, spent]));
}

const dayMs = 24 * 60 * 60 * 1000;

/** A key's calls on each of the last days of UTC, newest first, days without one included. */
export async function readKeyDays(
  db: Queries,
  { accountId, id }: { accountId: bigint; id: bigint },
  { at, days }: { at: Date; days: number },
): Promise<{ day: Date; requests: bigint; cost: Amount }[]> {
  const today = Math.floor(at.getTime() / dayMs) * dayMs;
  const starts = Array.from({ length: days }, (_, back) => new Date(today - back * dayMs));
  const buckets = starts.toReversed().map((start) => ({ start, since: start }));
  const span = { from: buckets[0]!.start, to: new Date(today + dayMs) };
  const { rows } = await readSummary(db, { accountId, span, buckets, groups: [], filter: { keyIds: [id] }, limit: days });
  const sums = new Map(rows.map((row) => [row.start.getTime(), row]));
  return starts.map((day) => {
    const sum = sums.get(day.getTime());
    return { day, requests: sum?.requests ?? 0n, cost: sum?.cost ?? 0n };
  });
}

/** Whether the sums over all accounts answer it, which know neither accounts nor keys nor tags. */
function isOfEveryone({ accountId, groups, filter: { keyIds, member, tag } }: SummaryQuestion, of: "calls" | "tags"): boolean {
  const isOfOne = groups.some((group) => group === "account" || group === "key" || group === "member");
  return accountId === null && of === "calls" && !isOfOne && keyIds === undefined && member === undefined && tag === undefined;
}

function conditions({ model, operation, status, route, provider, keyIds, tagKey }: SummaryFilter, of: "calls" | "tags", put: Put): string {
  const where: string[] = [];
  if (model !== undefined) where.push(`model = ${put(model)}`);
  if (operation !== undefined) where.push(`operation = ${put(operation)}`);
  if (status !== undefined) where.push(status === "failed" ? "failed" : "not failed");
  if (route !== undefined) where.push(`route = ${put(route)}`);
  if (provider !== undefined) where.push(`split_part(route, '/', 1) = ${put(provider)}`);
  if (keyIds !== undefined) where.push(`key_id = any(${put(keyIds)})`);
  if (tagKey !== undefined && of === "tags") where.push(`starts_with(tag, ${put(`${tagKey}:`)})`);
  return where.map((condition) => ` and ${condition}`).join("");
}
