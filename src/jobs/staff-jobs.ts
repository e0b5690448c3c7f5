// Media jobs of all accounts for the operator, with the upstream that served; and their refunds.
import type { Tier } from "../catalog/types.ts";
import type { Db } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { toUsd } from "../money.ts";
import { jobColumns, parseJobId, type ReadJob } from "./read-jobs.ts";
import { shownMoney } from "./show-job.ts";
import { tierLimits } from "./submit-request.ts";
import type { JobStatus } from "./types.ts";

export interface StaffJob extends ReadJob {
  request_id: string;
  /** provider/upstream model that was asked last; null: none yet. */
  route: string | null;
}

interface StaffFilter {
  /** The id that callers see. */
  shownId?: string;
  accountId?: bigint | undefined;
  status?: JobStatus | undefined;
}

/** Newest first. */
export async function readStaffJobs(db: Db, tiers: readonly Tier[], filter: StaffFilter, limit: number): Promise<StaffJob[]> {
  const values: unknown[] = [tierLimits(tiers)];
  const conditions = ["true"];
  const put = (column: string, value: unknown) => {
    if (value !== undefined) conditions.push(`${column} = $${values.push(value)}`);
  };
  put("j.id", filter.shownId === undefined ? undefined : (parseJobId(filter.shownId)?.id ?? null));
  put("j.shown_id", filter.shownId);
  put("j.account_id", filter.accountId);
  put("j.status", filter.status);
  // Ids are ordered by time.
  const { rows } = await db.pool.query<StaffJob>(
    `select ${jobColumns("media_limits($1::jsonb, b.purchased) ? 'media'")}, j.request_id, j.route
     from media_job j join balance b on b.account_id = j.account_id
     where ${conditions.join(" and ")} order by j.id desc limit $${values.length + 1}`,
    [...values, limit],
  );
  return rows;
}

/** Null: done; else why not: unknown, or the job's status. */
export async function refundJob(db: Db, shownId: string): Promise<JobStatus | "unknown" | null> {
  const parsed = parseJobId(shownId);
  if (parsed === undefined) return "unknown";
  const { rows } = await db.pool.query<{ refused: JobStatus | "unknown" | null }>("select media_refund($1) as refused", [parsed.id]);
  return rows[0]!.refused;
}

export function staffRecord(job: StaffJob) {
  const { shown_id: id, api, kind, status, queue_position, model, alias, route, request_id } = job;
  return {
    ...{ id, account_id: accountIdText(job.account_id), api, kind, status, queue_position, model, alias },
    created_at: job.created_at.toISOString(),
    started_at: job.started_at?.toISOString() ?? null,
    completed_at: job.completed_at?.toISOString() ?? null,
    estimated_cost: toUsd(job.estimated),
    ...shownMoney(job),
    files: job.output?.files.map(({ name }) => name) ?? [],
    error: job.error_code === null ? null : { code: job.error_code, message: job.error_message, word: job.error_word },
    ...{ route, request_id },
  };
}
