// Sums up the usage log, exactly. What it reads is of one moment if `snapshot` is one, in which a call that settles meanwhile is not.
import type { Queries } from "../../db/connect.ts";
import type { Amount } from "../../money.ts";
import { readLargest, rowsOfWeeks, type Weeks, weeksOf } from "./callers.ts";
import { besideSums, ceilQuarter, floorQuarter, piecesOf, readAdded, type Span, sumsWithin } from "./periods.ts";
import {
  columnsOf,
  groupTexts,
  isOfEveryone,
  type Page,
  partOf,
  type Put,
  type SnapshotQuestion,
  type SummaryGroup,
  type SummaryQuestion,
  untagged,
} from "./summary-parts.ts";

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
  /** In the order that was asked for; one more than the limit, if there are more. */
  rows: SummaryRow[];
  total: Figures;
}

const figureSums = `coalesce(sum(requests), 0)::bigint as requests, coalesce(sum(errors), 0)::bigint as errors,
  coalesce(sum(input_tokens), 0)::bigint as input, coalesce(sum(cache_read_tokens), 0)::bigint as "cacheRead",
  coalesce(sum(cache_write_tokens), 0)::bigint as "cacheWrite", coalesce(sum(output_tokens), 0)::bigint as output,
  coalesce(sum(reasoning_tokens), 0)::bigint as reasoning, coalesce(sum(cost), 0)::bigint as cost, sum(expense)::bigint as expense,
  coalesce(sum(unmatched), 0)::bigint as unmatched,  coalesce(sum(latency), 0)::text as latency, coalesce(sum(first_byte), 0)::text as "firstByte"`;

/** UUIDs of the persons who created the keys. */
const makers = `left join (select k.id as made, a.user_id::text as maker from api_key k join account a on a.id = k.created_by) maker on made = key_id`;

/** Of very many accounts or keys those of the page are found first, without adding their figures: an index knows them. */
export async function readSummary(snapshot: Queries, asked: SummaryQuestion): Promise<Summary> {
  const question = { ...asked, added: await readAdded(snapshot) };
  const { groups, limit, filter, accountId } = question;
  const weeks = weeksOf(question);
  const largest = weeks === null || asked.byCost !== true ? null : await readLargest(snapshot, question, weeks);
  if (largest !== null) return readSums(snapshot, question, { page: largest, weeks });
  const byTag = groups.includes("tag") && filter.tag === undefined;
  const isOfMany = accountId === null && (groups.includes("account") || groups.includes("key")) && !byTag && !groups.includes("member");
  if (!isOfMany || !isOfEveryone({ ...question, groups: [] }, "calls")) return readSums(snapshot, question, null);
  // And of a long time only in as many buckets as it takes to fill the page, from the one in which the page before ended.
  const first = Math.max(
    0,
    question.buckets.findLastIndex(({ start }) => question.after !== undefined && start <= question.after.start),
  );
  for (let count = 1; ; count *= 4) {
    const time = timeOf(question, { first, count });
    const isAll = first + count >= question.buckets.length;
    const page = await readPage(snapshot, { ...question, ...time });
    if (!isAll && page.start.length <= limit) continue;
    const summary = await readSums(snapshot, question, { page, weeks });
    if (isAll || summary.rows.length > limit) return summary;
  }
}

type Time = Pick<SummaryQuestion, "span" | "buckets">;

/** So many of its buckets. */
function timeOf({ span, buckets }: SummaryQuestion, { first, count }: { first: number; count: number }): Time {
  const from = first === 0 ? span.from : buckets[first]!.since;
  return { span: { from, to: buckets[first + count]?.since ?? span.to }, buckets: buckets.slice(first, first + count) };
}

/** The groups of the page and one more than that, if there are so many. */
async function readPage({ pool }: Queries, question: SnapshotQuestion): Promise<Page> {
  const values: unknown[] = [];
  const { rows } = await pool.query<{ start: Date; account_id: bigint; key_id: bigint }>(
    pageOf(question, (value) => `$${values.push(value)}`),
    values,
  );
  const ids = idsOf(question).map((id) => [id, rows.map((row) => row[id])] as const);
  return { start: rows.map(({ start }) => start), ...Object.fromEntries(ids) };
}

const isNumbered = (group: SummaryGroup): group is "account" | "key" => group === "account" || group === "key";

const idsOf = ({ groups }: SummaryQuestion) => groups.filter(isNumbered).map((group) => `${group}_id` as const);

const textOf = (group: SummaryGroup) => `${groupTexts[group]} collate "C"`;

/** What makes rows of one group. Numbers are hashed and compared in less time than their texts. */
const keyOf = (group: SummaryGroup) => (isNumbered(group) ? `${group}_id` : textOf(group));

/** SQL: whether a group, of these texts, comes after the last one of the page before; null: there was none. */
function placeOf({ after }: SummaryQuestion, texts: readonly string[], put: Put): string | null {
  if (after === undefined) return null;
  return `(${["start", ...texts].join(", ")}) > (${[after.start, ...after.names].map(put).join(", ")})`;
}

/** SQL of the page's groups, one more than the limit. */
function pageOf(question: SnapshotQuestion, put: Put): string {
  const { groups, limit, byCost } = question;
  // A text is made once for each group, of its number, or in its place.
  const found = groups.map((group, index) =>
    isNumbered(group) ? { key: keyOf(group), text: textOf(group) } : { key: `${textOf(group)} as text_${index}`, text: `text_${index}` },
  );
  const keys = ["start", ...found.map(({ key }) => key)].join(", ");
  const texts = found.map(({ text }) => text);
  const part = partOf(question, put, { of: "calls", only: columnsOf(question) });
  const each = byCost
    ? `select ${keys}, sum(cost) as cost from (${part}) part group by ${["start", ...groups.map(keyOf)].join(", ")}`
    : `select distinct ${keys} from (${part}) part`;
  return `select ${["start", ...idsOf(question)].join(", ")} from (${each}) found
    where ${placeOf(question, texts, put) ?? "true"} order by ${[byCost ? "cost desc" : "start", ...texts].join(", ")} limit ${put(limit + 1)}`;
}

/** Of the page's groups alone, if these are known, with sums of their whole weeks. */
async function readSums(
  { pool }: Queries,
  question: SnapshotQuestion,
  known: { page: Page; weeks: Weeks | null } | null,
): Promise<Summary> {
  const values: unknown[] = [];
  const put = (value: unknown) => `$${values.push(value)}`;
  const { groups, limit, filter } = question;
  const texts = groups.map(textOf);
  const byTag = groups.includes("tag") && filter.tag === undefined;
  const order = [question.byCost ? "sum(cost) desc" : "start", ...texts].join(", ");
  const keys = ["start", ...groups.map(keyOf)].join(", ");
  const place = placeOf(question, texts, put);
  const most = put(limit + 2);
  const parts = [
    partOf(question, put, { of: byTag ? "tags" : "calls", page: known?.page, except: known?.weeks?.pieces }),
    ...(known?.weeks ? [rowsOfWeeks(known.weeks, known.page, put)] : []),
  ];
  const part = parts.join(" union all ");
  const isApart = byTag || known !== null;
  const grouped = `
    select grouping(start) = 1 as "isTotal", start, array[${texts.join(", ")}]::text[] as names, ${figureSums}
    from (${part}) part ${groups.includes("member") ? makers : ""}
    group by ${isApart ? keys : `grouping sets ((${keys}), ())`}
    having ${isApart ? "false" : "grouping(start) = 1"} or ${place ?? "grouping(start) = 0"}
    order by grouping(start) desc, ${order}
    limit ${most}`;
  // Calls have several tags, or none: their total is not the sum of the tags'. And the total of all accounts has sums of its own.
  const total = isApart
    ? `(select true as "isTotal", null::timestamptz as start, null::text[] as names, ${figureSums}
        from (${partOf({ ...question, groups: [] }, put, { of: "calls" })}) part) union all`
    : "";
  const { rows } = await pool.query<SummaryRow & { isTotal: boolean }>(`${total} (${grouped})`, values);
  const [first, ...rest] = rows;
  return { total: first!, rows: rest.slice(0, limit + 1) };
}

/** What each of the accounts was charged for its calls; without those that were charged nothing. */
export async function readSpent(snapshot: Queries, accountIds: readonly bigint[], { from, to }: Span): Promise<Map<bigint, Amount>> {
  const whole = { from: ceilQuarter(from), to: floorQuarter(to) };
  const pieces = piecesOf([{ start: whole.from, since: whole.from }], whole);
  const added = await readAdded(snapshot);
  const beside = besideSums(
    {
      ...{ since: "$2::timestamptz", wholeSince: "$3::timestamptz", wholeUntil: "$4::timestamptz", until: "$5::timestamptz" },
      addedUntil: "$9::timestamptz",
    },
    added,
    (rows, of, within) => `select l.account_id, l.cost from ${rows} where ${of}.account_id = any($1) and ${within}`,
  );
  const { rows } = await snapshot.pool.query<{ accountId: bigint; spent: Amount }>(
    `select account_id as "accountId", sum(cost)::bigint as spent from (
       select r.account_id, r.cost from unnest($1::bigint[]) a(id) cross join unnest($6::int[], $7::timestamptz[], $8::timestamptz[]) p(span, since, before)
       cross join ${sumsWithin("usage_rollup", { where: `r.account_id = a.id and r.tag_hash = ${untagged}` })}
       union all ${beside}
     ) part(account_id, cost) group by 1`,
    [
      ...[
        accountIds,
        from,
        whole.from,
        whole.to,
        to,
        pieces.map((p) => p.minutes),
        pieces.map((p) => p.since),
        pieces.map((p) => p.before),
      ],
      added.until,
    ],
  );
  return new Map(rows.map(({ accountId, spent }) => [accountId, spent]));
}

const dayMs = 24 * 60 * 60 * 1000;

/** A key's calls on each of the last days of UTC, newest first, days without one included. */
export async function readKeyDays(
  snapshot: Queries,
  { accountId, id }: { accountId: bigint; id: bigint },
  { at, days }: { at: Date; days: number },
): Promise<{ day: Date; requests: bigint; cost: Amount }[]> {
  const today = Math.floor(at.getTime() / dayMs) * dayMs;
  const starts = Array.from({ length: days }, (_, back) => new Date(today - back * dayMs));
  const buckets = starts.toReversed().map((start) => ({ start, since: start }));
  const span = { from: buckets[0]!.start, to: new Date(today + dayMs) };
  const { rows } = await readSummary(snapshot, { accountId, span, buckets, groups: [], filter: { keyIds: [id] }, limit: days });
  const sums = new Map(rows.map((row) => [row.start.getTime(), row]));
  return starts.map((day) => {
    const sum = sums.get(day.getTime());
    return { day, requests: sum?.requests ?? 0n, cost: sum?.cost ?? 0n };
  });
}
