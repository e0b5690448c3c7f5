// Reads the usage log: pages of an account's requests, and single requests. usage-log.ts says what is written. No query scans the log: each
// follows an index from the newest row on and stops when the page is full. A log of ten years has 120 partitions, and a statement that may need
// any of them plans, locks and opens them all; so the newest months are asked first, alone.
import type { components } from "../../generated/api.d.ts";
import { type OperationId, operations } from "../../generated/operations.ts";
import type { Queries } from "../db/connect.ts";
import { timeOfRequestId, uuidHex } from "../ids.ts";
import { toUsd } from "../money.ts";
import type { AudioPrices } from "../pricing/audio-cost.ts";
import type { MediaPrices } from "../pricing/media-cost.ts";
import type { LoggedPrices, UsageLogRow } from "./usage-log.ts";

type UsageLog = components["schemas"]["UsageLog"];

/** Absent fields match all rows. */
export interface LogFilter {
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  model?: string | undefined;
  type?: string | undefined;
  status?: UsageLog["status"] | undefined;
  /** Any of these keys. */
  keyIds?: readonly bigint[] | undefined;
  /** key:value. */
  tag?: string | undefined;
  /** Only rows older than this one. */
  after?: LogPlace | undefined;
}

/** A row's position in the order of the log. */
export interface LogPlace {
  createdAt: Date;
  id: string;
}

type Figure = "input_tokens" | "cache_read_tokens" | "cache_write_tokens" | "output_tokens" | "reasoning_tokens" | "cost" | "reserved";

/** A row as it was written, with its key looked up. */
export interface LogRow
  extends
    Omit<UsageLogRow, Figure | "account_id" | "key_id" | "operation" | "model_type" | "prices" | "units" | "unit" | "tags">,
    Record<Figure | "account_id", bigint> {
  key_prefix: string | null;
  key_last4: string | null;
  operation: OperationId;
  /** Null: written before there were models of other types. */
  model_type: UsageLog["type"] | null;
  /** MediaPrices for media jobs, AudioPrices for audio that has a unit. */
  prices: LoggedPrices | MediaPrices | AudioPrices;
  /** How much was billed, as decimal text; null: tokens, which have columns of their own. */
  units: string | null;
  unit: UsageLog["unit"] | null;
  job_id: string | null;
  tags: Record<string, string> | null;
}

/** Newest first. */
export async function readLogs(db: Queries, accountId: bigint, filter: LogFilter, limit: number): Promise<LogRow[]> {
  const { from, to, after } = filter;
  const asked = conditionsOf(accountId, filter);
  const now = new Date();
  const newest = [to, after?.createdAt].reduce<Date>((first, time) => (time !== undefined && time < first ? time : first), now);
  const rows: LogRow[] = [];
  let before: Date | undefined; // of what was read already
  for (const days of [62, 366, null]) {
    const since = days === null ? undefined : new Date(newest.getTime() - days * dayMs);
    const isLast = since === undefined || (from !== undefined && since <= from);
    rows.push(...(await readRows(db, within(asked, { since: isLast ? undefined : since, before }), limit - rows.length)));
    if (isLast || rows.length >= limit) break;
    before = since;
  }
  return rows;
}

/** The newest row of that request id in any account: for the operator. */
export function readAnyLog(db: Queries, requestId: string): Promise<LogRow | undefined> {
  return readOne(db, { where: "request_id = $1", values: [requestId] }, requestId);
}

/** The newest row of that request id. */
export function readLog(db: Queries, accountId: bigint, requestId: string): Promise<LogRow | undefined> {
  return readOne(db, { where: "account_id = $1 and request_id = $2", values: [accountId, requestId] }, requestId);
}

/** In the newest months, then where an id of the gateway's own says that it is, then anywhere: ids that callers choose say nothing. */
async function readOne(db: Queries, asked: Conditions, requestId: string): Promise<LogRow | undefined> {
  const recent = new Date(Date.now() - 62 * dayMs);
  const time = timeOfRequestId(requestId);
  const around = (ms: number) => ({ since: new Date(ms - dayMs), before: new Date(ms + dayMs) });
  for (const span of [{ since: recent }, ...(time === null ? [] : [around(time)]), { before: recent }]) {
    const [row] = await readRows(db, within(asked, span), 1);
    if (row !== undefined) return row;
  }
  return undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

export interface Conditions {
  where: string;
  values: unknown[];
  /** Absent: the log. */
  from?: string;
}

function within(
  { where, values, ...rest }: Conditions,
  { since, before }: { since?: Date | undefined; before?: Date | undefined },
): Conditions {
  const more = [...values];
  const lower = since === undefined ? "" : ` and created_at >= $${more.push(since)}`;
  const upper = before === undefined ? "" : ` and created_at < $${more.push(before)}`;
  return { ...rest, where: where + lower + upper, values: more };
}

/** How many calls, and how old, say how long a model's answers to an account are. */
const usualCalls = 50;
const usualAge = "30 days";

/** The mean output of the account's last calls of the model, in tokens, rounded up; null: there are none. */
export async function readUsualOutput({ pool }: Queries, accountId: bigint, model: string): Promise<number | null> {
  const { rows } = await pool.query<{ tokens: number | null }>(
    `select ceil(avg(output_tokens))::int as tokens from (
       select status, output_tokens from usage_log where account_id = $1 and model = $2 and created_at > now() - $3::interval
       order by created_at desc limit $4) l where status = 'success'`,
    [accountId, model, usualAge, usualCalls],
  );
  return rows[0]!.tokens;
}

/** Limits the page before it looks up the keys. */
export async function readRows({ pool }: Queries, { where, values, from = "usage_log" }: Conditions, limit: number): Promise<LogRow[]> {
  const { rows } = await pool.query<LogRow>(
    `select l.*, k.prefix as key_prefix, k.last4 as key_last4
     from (select * from ${from} where ${where} order by created_at desc, id desc limit $${values.length + 1}) l
     left join api_key k on k.id = l.key_id order by l.created_at desc, l.id desc`,
    [...values, limit],
  );
  return rows;
}

function conditionsOf(accountId: bigint, filter: LogFilter): Conditions {
  const values: unknown[] = [accountId];
  const conditions = ["account_id = $1"];
  const put = (condition: (place: string) => string, value: unknown) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  put((from) => `created_at >= ${from}`, filter.from);
  put((to) => `created_at < ${to}`, filter.to);
  put((model) => `model = ${model}`, filter.model);
  put((type) => `model_type = ${type}`, filter.type);
  if (filter.status !== undefined) conditions.push(filter.status === "failed" ? "status = 'failed'" : "status <> 'failed'");
  // Equality with one key: a list would lose the index's order.
  if (filter.keyIds?.length === 1) put((key) => `key_id = ${key}`, filter.keyIds[0]);
  else put((keys) => `key_id = any(${keys})`, filter.keyIds);
  if (filter.after !== undefined) {
    // The first bound prunes partitions; the second orders the rows of one millisecond.
    const time = `$${values.push(filter.after.createdAt)}`;
    conditions.push(`created_at <= ${time}`, `(created_at, id) < (${time}, $${values.push(filter.after.id)})`);
  }
  const where = conditions.join(" and ");
  return filter.tag === undefined ? { where, values } : { where, values, from: tagged("$1", `$${values.push(filter.tag)}`) };
}

/**
 * The account's rows with the tag: by usage_tagged, and searched in what is not named there yet (src/db/functions/usage_roll_up.sql). The offset holds
 * the planner to the index: to divide what follows among several processes it would read the whole table.
 */
export const tagged = (account: string, tag: string) => `(
  select l.* from (select * from usage_tagged where account_id = ${account} and tag_hash = usage_tag_hash(${tag}) offset 0) t
    join usage_log l on l.account_id = t.account_id and l.created_at = t.created_at and l.id = t.id
  union all select l.* from usage_log l where l.account_id = ${account} and ${tag} in (select usage_tags(l.tags))
    and l.created_at >= (select closed_until from usage_rollup_state)
  union all select l.* from usage_late p join usage_log l on l.account_id = p.account_id and l.created_at = p.created_at and l.id = p.id
    where p.account_id = ${account} and ${tag} in (select usage_tags(l.tags)) and p.created_at < (select closed_until from usage_rollup_state)
) tagged`;

/** The id holds the position, so that a cursor needs no lookup and outlives its row. */
export function logId({ created_at, id }: Pick<LogRow, "created_at" | "id">): string {
  return `log_${created_at.getTime().toString(16).padStart(12, "0")}${uuidHex(id)}`;
}

/** Undefined: not an id of the log. */
export function parseLogId(text: string): LogPlace | undefined {
  const match = /^log_([0-9a-f]{12})([0-9a-f]{32})$/.exec(text);
  return match ? { createdAt: new Date(Number.parseInt(match[1]!, 16)), id: match[2]! } : undefined;
}

export function usageLogRecord(row: LogRow, maskedKey: (key: { prefix: string; last4: string }) => string): UsageLog {
  const input = Number(row.input_tokens + row.cache_read_tokens + row.cache_write_tokens);
  const output = Number(row.output_tokens);
  return {
    id: logId(row),
    object: "usage.log",
    created_at: row.created_at.toISOString(),
    request_id: row.request_id,
    key: row.key_prefix === null || row.key_last4 === null ? null : maskedKey({ prefix: row.key_prefix, last4: row.key_last4 }),
    endpoint: operations[row.operation].path,
    type: row.model_type ?? "language",
    model: row.model,
    served_model: row.served_model,
    alias: row.alias,
    status: row.status === "failed" ? "failed" : "success", // an aborted call is charged for what was delivered
    ...(row.status === "aborted" ? { aborted: true } : {}),
    ...(row.estimated && row.cost > 0n ? { estimated: true } : {}),
    http_status: row.http_status,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? row.error_code },
    prompt_tokens: input,
    completion_tokens: output,
    cached_tokens: Number(row.cache_read_tokens),
    reasoning_tokens: Number(row.reasoning_tokens),
    ...toolCallsOf(row),
    units: row.units === null ? input + output : Number(row.units),
    unit: row.unit ?? "token",
    cost_usd: toUsd(row.cost),
    latency_ms: row.latency_ms,
    ttft_ms: row.stream ? row.first_byte_ms : null,
    stream: row.stream,
    fallback_layer: row.fallback_layer,
    job_id: row.job_id,
    ...(row.tags === null ? {} : { tags: row.tags }),
  };
}

/** Those that are charged; none where there were none. */
export function toolCallsOf({ prices }: Pick<LogRow, "prices">): Pick<LoggedPrices, "web_searches" | "web_fetches"> {
  if (!("input" in prices)) return {};
  const { web_searches, web_fetches } = prices;
  return { ...(web_searches === undefined ? {} : { web_searches }), ...(web_fetches === undefined ? {} : { web_fetches }) };
}

// Attempts of the last minutes by route and outcome, from the usage log: those of every process, unlike a circuit breaker's memory.

export interface RouteFigure {
  /** provider/upstream model */
  route: string;
  outcome: string;
  /** Null: it succeeded. */
  cause: string | null;
  count: number;
  lastAt: Date;
}

export async function readRouteFigures(db: Queries, minutes: number): Promise<RouteFigure[]> {
  const { rows } = await db.pool.query<RouteFigure>(
    `select a ->> 'route' as route, a ->> 'outcome' as outcome, a ->> 'cause' as cause, count(*)::int as count, max(l.created_at) as "lastAt"
     from usage_log l, jsonb_array_elements(l.attempts) a
     where l.created_at > now() - make_interval(mins => $1)
     group by 1, 2, 3`,
    [minutes],
  );
  return rows;
}

export interface CredentialFigure {
  provider: string;
  credential: string;
  attempts: number;
  /** Attempts for which another credential had to be tried, or none served. */
  refused: number;
}

export async function readCredentialFigures(db: Queries, minutes: number): Promise<CredentialFigure[]> {
  const { rows } = await db.pool.query<CredentialFigure>(
    `select split_part(a ->> 'route', '/', 1) as provider, c ->> 'credential' as credential, count(*)::int as attempts,
       count(*) filter (where c ->> 'outcome' in ('our_fault', 'rate_limited'))::int as refused
     from usage_log l, jsonb_array_elements(l.attempts) a,
       jsonb_array_elements(coalesce(a -> 'refused', '[]') || jsonb_build_array(a - 'refused')) c
     where l.created_at > now() - make_interval(mins => $1) and a ? 'credential'
     group by 1, 2`,
    [minutes],
  );
  return rows;
}
