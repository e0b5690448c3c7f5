// What sums of the usage log are put together from, as SQL with the same columns: whole quarters of an hour from the rollups, and from the log what
// these don't have: the last minutes, rows that came late (src/db/functions/usage_roll_up.sql), and what lies between a quarter and an end of the span.
import {
  type Added,
  besideSums,
  type Bucket,
  ceilQuarter,
  floorQuarter,
  type Piece,
  piecesOf,
  type Span,
  spansBeside,
  sumsWithin,
} from "./periods.ts";

/** What may be grouped by, as an expression over `part`; never null, so that pages have an order. */
export const groupTexts = {
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
interface SummaryFilter {
  model?: string | undefined;
  operation?: string | undefined;
  status?: "success" | "failed" | undefined;
  route?: string | undefined;
  provider?: string | undefined;
  /** Any of these. */
  keyIds?: readonly bigint[] | undefined;
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
  /** The highest cost first, of one bucket. Absent: by start, then by the groups' texts. */
  byCost?: boolean;
  /** Only groups after this one: its start and its groups' texts. */
  after?: { start: Date; names: readonly string[] } | undefined;
  limit: number;
}

/** As it is asked of a snapshot. */
export type SnapshotQuestion = SummaryQuestion & { added: Added };

/** Where no route was asked, as for a kept answer, the cost is nothing. */
const expense = (sum: string, unasked: string) => `coalesce(${sum}, case when ${unasked} then 0 end)`;

export type Put = (value: unknown) => string;

/** Of the rows that `partOf` puts together, what the sums have, and what a row of the log is. */
const columns = {
  account_id: ["r.account_id", "l.account_id"],
  model: ["r.model", "l.model"],
  key_id: ["r.key_id", "coalesce(l.key_id, 0)"],
  operation: ["r.operation", "l.operation"],
  failed: ["r.failed", "l.status = 'failed'"],
  route: ["r.route", "coalesce(l.attempts -> -1 ->> 'route', '')"],
  tag: ["r.tag", "tag"],
  requests: ["r.requests", "1"],
  /** Never by itself: no table of sums has it. */
  errors: ["case when r.failed then r.requests else 0 end", "(l.status = 'failed')::int"],
  input_tokens: ["r.input_tokens", "l.input_tokens"],
  cache_read_tokens: ["r.cache_read_tokens", "l.cache_read_tokens"],
  cache_write_tokens: ["r.cache_write_tokens", "l.cache_write_tokens"],
  output_tokens: ["r.output_tokens", "l.output_tokens"],
  reasoning_tokens: ["r.reasoning_tokens", "l.reasoning_tokens"],
  cost: ["r.cost", "l.cost"],
  expense: [expense("r.expense", "r.route = ''"), expense("l.expense", "l.attempts = '[]'")],
  unmatched: ["usage_unmatched(r.unmatched, r.expense, r.route, r.cost)", "case when usage_lacks_cost(l.attempts) then l.cost else 0 end"],
  latency: ["r.latency", "usage_histogram(l.latency_ms)"],
  first_byte: ["r.first_byte", "usage_histogram(case when l.stream then l.first_byte_ms end)"],
} as const;
export type Column = keyof typeof columns;
export const everyColumn = Object.keys(columns) as Column[];
/** The sums over all accounts don't know these. */
const ofOne: Partial<Record<Column, string>> = { account_id: "0", key_id: "0", tag: "null" };

interface PartOptions {
  /** `tags`: a row for each tag of a call. */
  of: "calls" | "tags";
  /** All, if absent. Of few columns an index may have all that is read. */
  only?: readonly Column[];
  /** Only its groups. */
  page?: Page | null;
  /** Without the sums of these, in their order, which are whole days within the span. */
  except?: readonly Piece[];
}

/** Groups of a page: where their periods start, and their accounts or keys, if these are grouped by. */
export interface Page {
  start: Date[];
  account_id?: bigint[];
  key_id?: bigint[];
}

/** Of one account. A subselect, since the planner would take a constant to the index of all callers of a time, and pass over nearly all that it has. */
export const untagged = "(select usage_tag_hash(null))";

/** What the rollups have of each period, and rows of the log, as the same columns, after the start of their bucket. */
export function partOf(question: SnapshotQuestion, put: Put, { of, only = everyColumn, page, except = [] }: PartOptions): string {
  const { accountId, span, buckets, filter, added } = question;
  const [first, last] = [ceilQuarter(span.from), floorQuarter(span.to)];
  const whole = first < last ? { from: first, to: last } : { from: span.to, to: span.to };
  const pieces = spansBeside(whole, except).flatMap((beside) => piecesOf(buckets, beside));
  const arrays = [pieces.map((p) => p.start), pieces.map((p) => p.minutes), pieces.map((p) => p.since), pieces.map((p) => p.before)].map(
    put,
  );
  const { keyIds } = filter;
  // Of a few keys by their accounts, which an index of every period and month has.
  const ofKeys = (table: string) =>
    keyIds === undefined
      ? "true"
      : `${table}.account_id = any(array(select account_id from api_key where id = any(${put(keyIds)}::bigint[])))`;
  const mine = (table: string) => (accountId === null ? ofKeys(table) : `${table}.account_id = ${put(accountId)}`);
  const listed = Object.entries(page ?? {}).map(([column, values]: [string, unknown[]]) => {
    const list = `${put(values)}::${column === "start" ? "timestamptz" : "bigint"}[]`;
    return [column as keyof Page, list] as const;
  });
  // As a subselect, whose length the planner doesn't know: with a thousand in sight it reads more than their rows. But a condition on rows that
  // were read looks for each in the whole of such a list; a plain list is hashed.
  const ofPage = (table: "r" | "p") =>
    listed
      .filter(([column]) => (column === "start") === (table === "p"))
      .map(([column, list]) => ` and ${table}.${column} = any(array(select unnest(${list})))`)
      .join("");
  const ofAll = accountId === null && keyIds === undefined ? "usage_tag_hash(null)" : untagged;
  const tagHash = filter.tag === undefined ? ofAll : `usage_tag_hash(${put(filter.tag)})`;
  const start = `(${put(buckets.map((b) => b.start))}::timestamptz[])[width_bucket(l.created_at, ${put(buckets.map((b) => b.since))}::timestamptz[])]`;
  const tags = of === "tags" ? "usage_tags(l.tags) tag" : `(select ${filter.tag === undefined ? "null" : put(filter.tag)}::text) one(tag)`;
  const tagged = of === "calls" && filter.tag !== undefined ? ` and ${put(filter.tag)} in (select usage_tags(l.tags))` : "";
  const ofLog = { start, account_id: columns.account_id[1], key_id: columns.key_id[1] };
  const inLog = listed.map(([column, list]) => ` and ${ofLog[column]} = any(${list})`).join("");
  const fromLog = (rows: string) => `select ${[start, ...only.map((name) => columns[name][1])].join(", ")} from ${rows}${tagged}${inLog}`;
  const time = (value: Date | string) => `${put(value)}::timestamptz`;
  const periods = `unnest(${arrays[0]}::timestamptz[], ${arrays[1]}::int[], ${arrays[2]}::timestamptz[], ${arrays[3]}::timestamptz[]) p(start, span, since, before)`;
  const ofEach = (before: string) => `
    select ${["p.start", ...only.map((name) => columns[name][0])].join(", ")}
    from ${periods} cross join ${sumsWithin("usage_rollup", {
      ...{ before, columns: only === everyColumn ? "*" : only.join(", ") },
      where: `${mine("r")} and r.tag_hash ${of === "tags" ? "<> usage_tag_hash(null)" : `= ${tagHash}`}${ofPage("r")}`,
    })} where true${ofPage("p")}`;
  const everyoneSince = "(select coalesce(whole_since, 'infinity') from usage_rollup_state)";
  const ofEveryone = () => `
    select ${["p.start", ...only.map((name) => ofOne[name] ?? columns[name][0])].join(", ")}
    from ${periods} cross join ${sumsWithin("usage_total", { since: `greatest(p.since, ${everyoneSince})` })}
    union all ${ofEach(`least(p.before, ${everyoneSince})`)}`;
  const times = {
    ...{ since: time(span.from), until: time(span.to), wholeSince: time(whole.from), wholeUntil: time(whole.to) },
    addedUntil: time(added.until),
  };
  const beside = besideSums(times, added, (rows, row, within) => fromLog(`${rows} cross join ${tags} where ${mine(row)} and ${within}`));
  return `select * from (
    ${isOfEveryone(question, of) ? ofEveryone() : ofEach("p.before")}
    union all ${beside}
  ) part(${["start", ...only].join(", ")}) where true${conditions(filter, of, put)}`;
}

/** Whether the sums over all accounts answer it, which know neither accounts nor keys nor tags. */
export function isOfEveryone({ accountId, groups, filter: { keyIds, tag } }: SummaryQuestion, of: "calls" | "tags"): boolean {
  const isOfOne = groups.some((group) => group === "account" || group === "key" || group === "member");
  return accountId === null && of === "calls" && !isOfOne && keyIds === undefined && tag === undefined;
}

/** What groups, filters and the order ask for. */
export function columnsOf({ groups, filter: { model, operation, status, route, provider }, byCost }: SummaryQuestion): Column[] {
  const is = (group: SummaryGroup, filter?: unknown) => groups.includes(group) || filter !== undefined;
  const asked: Partial<Record<Column, boolean>> = {
    ...{ account_id: is("account"), key_id: is("key"), model: is("model", model), operation: is("operation", operation) },
    ...{ failed: is("status", status), route: is("route", route) || is("provider", provider), cost: byCost === true },
  };
  return everyColumn.filter((name) => asked[name]);
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
