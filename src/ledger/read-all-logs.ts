// Rows of the usage log of all accounts, newest first, for operators. The log has no order over all accounts, so a page reads few hours:
// by the summary of its blocks' times (the index usage_log_recent).
import type { Queries } from "../db/connect.ts";
import { type Conditions, type LogPlace, type LogRow, readRows, tagged } from "./read-usage-log.ts";

interface AllLogsFilter {
  accountId?: bigint | undefined;
  requestId?: string | undefined;
  model?: string | undefined;
  status?: "success" | "failed" | undefined;
  /** key:value, of an account's rows alone. */
  tag?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  after?: LogPlace | undefined;
}

/** Of an account or a request id the indexes give the order; else times that grow are searched until the page is full. */
const minutes = [10, 60, 6 * 60, null];

export async function readAllLogs(db: Queries, filter: AllLogsFilter, limit: number): Promise<LogRow[]> {
  const { accountId, requestId, from, to, after } = filter;
  const asked = conditionsOf(filter);
  if (accountId !== undefined || requestId !== undefined || from === undefined) return readRows(db, asked, limit);
  const newest = [to, after?.createdAt].reduce<Date>((first, time) => (time !== undefined && time < first ? time : first), new Date());
  const rows: LogRow[] = [];
  let before: Date | undefined; // of what was read already
  for (const span of minutes) {
    const since = span === null ? from : new Date(Math.max(from.getTime(), newest.getTime() - span * 60_000));
    const values = [...asked.values];
    const upper = before === undefined ? "" : ` and created_at < $${values.push(before)}`;
    const where = `${asked.where} and created_at >= $${values.push(since)}${upper}`;
    rows.push(...(await readRows(db, { where, values }, limit - rows.length)));
    if (rows.length >= limit || since <= from) break;
    before = since;
  }
  return rows;
}

function conditionsOf({ accountId, requestId, model, status, tag, from, to, after }: AllLogsFilter): Conditions {
  const values: unknown[] = [];
  const conditions = ["true"];
  const put = (condition: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${condition} $${values.push(value)}`);
  };
  put("account_id =", accountId);
  put("request_id =", requestId);
  put("model =", model);
  if (status !== undefined) conditions.push(status === "failed" ? "status = 'failed'" : "status <> 'failed'");
  put("created_at >=", from);
  put("created_at <", to);
  if (after !== undefined) {
    const time = `$${values.push(after.createdAt)}`;
    conditions.push(`created_at <= ${time}`, `(created_at, id) < (${time}, $${values.push(after.id)})`);
  }
  const where = conditions.join(" and ");
  if (tag === undefined || accountId === undefined) return { where, values };
  return { where, values, from: tagged(`$${values.push(accountId)}`, `$${values.push(tag)}`) };
}
