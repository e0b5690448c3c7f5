// GET /v1/operator/jobs: media jobs of all accounts, newest first.
import { failParameter } from "../src/errors/fail.ts";
import { parseAccountId } from "../src/ids.ts";
import { parseJobId } from "../src/jobs/read-jobs.ts";
import { readStaffJobs } from "../src/jobs/staff-jobs.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { jobRecord } from "../src/operators/calls.ts";
import { readTime } from "../src/operators/requests.ts";

/** Without an account the jobs of that time are searched. */
const searchedDays = 31;
const searchedMs = searchedDays * 24 * 60 * 60 * 1000;

export const listOperatorJobs: Handler<"listOperatorJobs"> = async ({ db, catalog, clock }, { query }) => {
  const { after, account, status, kind, model, limit = 50 } = query;
  const accountId = account === undefined ? undefined : parseAccountId(account);
  const [from, to] = [readTime("from", query.from), readTime("to", query.to)];
  const end = to ?? clock();
  const begin = from ?? (accountId === undefined ? new Date(end.getTime() - searchedMs) : undefined);
  if (accountId === undefined && begin !== undefined && end.getTime() - begin.getTime() > searchedMs)
    failParameter("from", `without an account it must be at most ${searchedDays} days before \`to\``);
  const before = after === undefined ? undefined : (parseJobId(after)?.id ?? failParameter("after", "it must be an id of this list"));
  const filter = { accountId, status, kind, model, from: begin, to, before };
  const { rows, hasMore } = await pageOf(limit, (most) => readStaffJobs(db, catalog.tiers, filter, most));
  const data = rows.map(jobRecord);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
