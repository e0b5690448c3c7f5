// GET /v1/usage/summary: the account's requests, summed up by time, model, key and more.
import { everyKeyLike } from "../src/accounts/key-records.ts";
import { failParameter } from "../src/errors/fail.ts";
import { type Bucket, bucketsOf, type BucketName, type Span } from "../src/ledger/summary/periods.ts";
import { readSummary, type SummaryGroup } from "../src/ledger/summary/read-summary.ts";
import { csvOf, linesOf, parseSummaryRowId, showFigures, showRow, summaryRowId } from "../src/ledger/summary/show-summary.ts";
import type { Context } from "../src/context.ts";
import type { Handler, Request } from "../src/operation.ts";
import { notSecret, readTime } from "./list-usage-logs.ts";

const bucketsMax = 1000;
const rowsDefault = 1000;
const defaultMs = 30 * 24 * 3_600_000;

type Asked = Request<"getUsageSummary">;

export const getUsageSummary: Handler<"getUsageSummary"> = async (context, request) => {
  const { caller, query, headers } = request;
  const span = spanOf(request, context.clock());
  const groups = groupsOf(query.group_by ?? []);
  const { bucket = "day", timezone = "UTC", limit = rowsDefault, after, model, operation, status, tag } = query;
  const place = after === undefined ? undefined : (parseSummaryRowId(after, groups.length) ?? failParameter("after", "it must be an id of this list")); // prettier-ignore
  const keyIds = query.key === undefined ? undefined : await everyKeyLike(context.db, notSecret(query.key), caller.accountId);
  const buckets = await readBuckets(context, span, bucket, timezone);
  const filter = { model, operation, status, tag, tagKey: query.tag_key, keyIds };
  const { rows, total } = await readSummary(context.db, {
    accountId: caller.accountId,
    span,
    buckets,
    groups,
    filter,
    after: place,
    limit,
  });
  const page = rows.slice(0, limit);
  const [hasMore, last] = [rows.length > limit, page.at(-1)];
  const lastId = last === undefined ? null : summaryRowId(last);
  const data = page.map((row) => showRow(row, groups));
  const form = formOf(headers.accept);
  if (form !== "json") {
    return {
      status: 200,
      headers: {
        ...{ "content-type": form === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson; charset=utf-8", vary: "Accept" },
        ...(hasMore ? { link: `<${nextAddress(context, request, span, lastId!)}>; rel="next"` } : {}),
      },
      bytes: Buffer.from(form === "csv" ? csvOf(data, groups) : linesOf(data)),
    };
  }
  return {
    status: 200,
    headers: { vary: "Accept" },
    body: {
      object: "usage.summary",
      ...{ from: span.from.toISOString(), to: span.to.toISOString(), bucket, timezone, group_by: groups },
      ...{ data, total: showFigures(total), has_more: hasMore, last_id: lastId },
    },
  };
};

function spanOf({ query }: Pick<Asked, "query">, now: Date): Span {
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
const longestMs: Record<BucketName, number> = { hour: 2 * hourMs, day: 25 * hourMs, month: 31 * 25 * hourMs };

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

/** The first form that the client names; JSON for anything else. */
function formOf(accept = ""): "json" | "csv" | "ndjson" {
  for (const range of accept.toLowerCase().split(",")) {
    const type = range.split(";")[0]!.trim();
    if (type === "text/csv") return "csv";
    if (type === "application/x-ndjson" || type === "application/ndjson") return "ndjson";
    if (type === "application/json") return "json";
  }
  return "json";
}

/** With both ends of the time named, so that the pages are of one question. */
function nextAddress({ publicUrl }: Context, { query }: Asked, { from, to }: Span, after: string): string {
  const asked = { ...query, from: from.toISOString(), to: to.toISOString(), after };
  const texts = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return `${publicUrl}/v1/usage/summary?${new URLSearchParams(texts).toString()}`;
}
