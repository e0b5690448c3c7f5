// GET /v1/usage/summary: the account's requests, summed up by time, model, key and more.
import { everyKeyLike } from "../src/accounts/key-records.ts";
import { inSnapshot } from "../src/db/connect.ts";
import { failParameter } from "../src/errors/fail.ts";
import { parseUserId } from "../src/ids.ts";
import { type Bucket, bucketsOf, type BucketName, type Span } from "../src/ledger/summary/periods.ts";
import { readSummary } from "../src/ledger/summary/read-summary.ts";
import { csvOf, parseSummaryRowId, showFigures, showRow, summaryRowId } from "../src/ledger/summary/show-summary.ts";
import type { SummaryGroup } from "../src/ledger/summary/summary-parts.ts";
import type { Context } from "../src/context.ts";
import type { Handler, Request } from "../src/operation.ts";
import { jsonLines, listFile, listFormOf, pageAddress } from "../src/text/export.ts";
import { notSecret, readTime } from "./list-usage-logs.ts";

const bucketsMax = 1000;
const rowsDefault = 1000;
const defaultMs = 30 * 24 * 3_600_000;

type Query = Omit<Request<"getUsageSummary">["query"], "group_by">;

interface Asked<Group extends SummaryGroup> {
  /** Null: of all accounts. */
  accountId: bigint | null;
  groups: readonly Group[] | undefined;
  provider?: string | undefined;
  route?: string | undefined;
}

export const getUsageSummary: Handler<"getUsageSummary"> = async (context, request) => {
  const { caller, query, headers } = request;
  const summary = await summaryOf(context, query, { accountId: caller.accountId, groups: query.group_by });
  const { rows, total, groups, page } = summary;
  const data = rows.map((row) => showRow(row, groups));
  const form = listFormOf(headers.accept);
  if (form !== "json") {
    const next = nextAddress(context, "/v1/usage/summary", query, summary);
    return listFile(form, form === "csv" ? csvOf(data, groups) : jsonLines(data), next);
  }
  return {
    status: 200,
    headers: { vary: "Accept" },
    body: { object: "usage.summary", ...summary.question, group_by: groups, data, total: showFigures(total), ...page },
  };
};

/** The rows of a page, and what was asked with every default filled in. */
export async function summaryOf<Group extends SummaryGroup>(context: Context, query: Query, asked: Asked<Group>) {
  const span = spanOf(query, context.clock());
  const groups = groupsOf(asked.groups ?? []);
  const { bucket = "day", timezone = "UTC", limit = rowsDefault, order, after, model, operation, status, tag } = query;
  const byCost = order === "cost";
  if (byCost && bucket !== "all") failParameter("order", "by cost there is one period: `bucket` must be `all`");
  if (byCost && after !== undefined) failParameter("after", "by cost there is one page");
  const place = after === undefined ? undefined : (parseSummaryRowId(after, groups.length) ?? failParameter("after", "it must be an id of this list")); // prettier-ignore
  const buckets = await readBuckets(context, span, bucket, timezone);
  const { accountId, provider, route } = asked;
  const keyIds = await keysOf(context, query, accountId);
  const filter = { model, operation, status, tag, tagKey: query.tag_key, keyIds, provider, route };
  const { rows, total } = await inSnapshot(context.db, (snapshot) =>
    readSummary(snapshot, { accountId, span, buckets, groups, filter, byCost, after: place, limit }),
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const page = { has_more: rows.length > limit, last_id: last === undefined || byCost ? null : summaryRowId(last) };
  const question = { from: span.from.toISOString(), to: span.to.toISOString(), bucket, timezone };
  return { rows: shown, total, groups, page, question };
}

/** Undefined: those of any key, and of none. */
async function keysOf({ db }: Context, { key, member }: Query, accountId: bigint | null): Promise<bigint[] | undefined> {
  if (key === undefined && member === undefined) return undefined;
  const text = key === undefined ? undefined : notSecret(key);
  const createdBy = member === undefined ? undefined : (parseUserId(member) ?? failParameter("member", "it must be a user id"));
  return everyKeyLike(db, { text, createdBy, accountId });
}

type Summary = Awaited<ReturnType<typeof summaryOf>>;

/** With both ends of the time named, so that the pages are of one question. Null: it is the last page, or the only one that can be had. */
export function nextAddress(
  { publicUrl }: Pick<Context, "publicUrl">,
  path: string,
  query: object,
  { page, question: { from, to } }: Pick<Summary, "page" | "question">,
): string | null {
  return page.has_more && page.last_id !== null ? pageAddress(publicUrl, path, { ...query, from, to, after: page.last_id }) : null;
}

function spanOf(query: Query, now: Date): Span {
  const to = readTime("to", query.to) ?? now;
  const from = readTime("from", query.from) ?? new Date(to.getTime() - defaultMs);
  return from < to ? { from, to } : failParameter("from", "it must be before `to`");
}

function groupsOf<Group extends SummaryGroup>(groups: readonly Group[]): Group[] {
  return new Set(groups).size === groups.length ? [...groups] : failParameter("group_by", "each group may be named once");
}

/** IANA's names only: Postgres would take more for a zone, such as `+5` with its sign turned round. */
const zoneName = /^[A-Za-z]+([_+-]?[A-Za-z0-9]+)*(\/[A-Za-z0-9]+([_+-][A-Za-z0-9]+)*)*$/;

const hourMs = 60 * 60 * 1000;
const longestMs: Record<BucketName, number> = { hour: 2 * hourMs, day: 25 * hourMs, month: 31 * 25 * hourMs, all: Infinity };

async function readBuckets({ db }: Context, span: Span, bucket: BucketName, timezone: string): Promise<Bucket[]> {
  const most = bucketsMax;
  const tooMany = () => failParameter("from", `from it to \`to\` there are more than ${most} ${bucket}s`);
  // Before the database counts them: a time may be of any year.
  if (span.to.getTime() - span.from.getTime() > (most + 1) * longestMs[bucket]) tooMany();
  const known = zoneName.test(timezone) && isKnown(timezone) ? await bucketsOf(db, span, { bucket, timezone, most }) : null;
  const buckets = known ?? failParameter("timezone", "it must be a name of the IANA time zone database, such as Europe/Berlin");
  return buckets.length > most ? tooMany() : buckets;
}

function isKnown(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}
