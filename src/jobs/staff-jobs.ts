// Media jobs of all accounts for the operator, with the upstream that served; their refunds, and their cancelling.
import type { Catalog, Tier } from "../catalog/types.ts";
import type { Db, Queries } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { type Amount, toUsd } from "../money.ts";
import { lostAttempt } from "./job-expense.ts";
import { jobColumns, parseJobId, type ReadJob } from "./read-jobs.ts";
import { shownMoney } from "./show-job.ts";
import { tierLimits } from "./submit-request.ts";
import type { JobAttempt } from "./claim.ts";
import { failureSentences, type JobKind, type JobRequest, type JobStatus } from "./types.ts";

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
  kind?: JobKind | undefined;
  model?: string | undefined;
  /** Submitted at or after the one, and before the other. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** Only jobs older than this one, by its row's id. */
  before?: string | undefined;
}

/** Newest first. */
export async function readStaffJobs(db: Db, tiers: readonly Tier[], filter: StaffFilter, limit: number): Promise<StaffJob[]> {
  const values: unknown[] = [tierLimits(tiers)];
  const conditions = ["true"];
  const put = (column: string, value: unknown, compares = "=") => {
    if (value !== undefined) conditions.push(`${column} ${compares} $${values.push(value)}`);
  };
  put("j.id", filter.shownId === undefined ? undefined : (parseJobId(filter.shownId)?.id ?? null));
  put("j.shown_id", filter.shownId);
  put("j.account_id", filter.accountId);
  // Of one account the indexes know genmedia's jobs and the others apart.
  const ofAccount = "select * from media_job where api <> 'genmedia' union all select * from media_job where api = 'genmedia'";
  put("j.status", filter.status);
  put("j.kind", filter.kind);
  put("j.model", filter.model);
  // Ids are ordered by time, so that a span of time is one of the primary key.
  put("j.id", filter.before, "<");
  put("j.id", filter.from && firstIdOf(filter.from), ">=");
  put("j.id", filter.to && firstIdOf(filter.to), "<");
  const { rows } = await db.pool.query<StaffJob>(
    `select ${jobColumns("account_media_limits($1::jsonb, j.account_id) ? 'media'")}, j.request_id, j.route
     from ${filter.accountId === undefined ? "media_job" : `(${ofAccount})`} j
     where ${conditions.join(" and ")} order by j.id desc limit $${values.length + 1}`,
    [...values, limit],
  );
  return rows;
}

/** The lowest id of its millisecond; of a time that no id has, the nearest that one may have. */
function firstIdOf(time: Date): string {
  const hex = Math.min(Math.max(0, time.getTime()), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

interface JobWork {
  attempts: JobAttempt[];
  /** When the last route was asked. */
  askedAt: Date | null;
  leasedUntil: Date | null;
}

/** What was done for a job so far. */
export async function readJobWork(db: Db, id: string): Promise<JobWork> {
  const sql = `select attempts, intent_at as "askedAt", run_at as "leasedUntil" from media_job where id = $1`;
  return (await db.pool.query<JobWork>(sql, [id])).rows[0]!;
}

/** Null: done; else why not: unknown, or the job's status. */
export async function refundJob(db: Queries, shownId: string): Promise<JobStatus | "unknown" | null> {
  const parsed = parseJobId(shownId);
  if (parsed === undefined) return "unknown";
  const { rows } = await db.pool.query<{ refused: JobStatus | "unknown" | null }>("select media_refund($1) as refused", [parsed.id]);
  return rows[0]!.refused;
}

interface LockedJob {
  status: JobStatus;
  model: string;
  route: string | null;
  /** Null: the job has ended. */
  request: JobRequest | null;
  attempts: JobAttempt[];
  /** A route was asked. */
  wasAsked: boolean;
  /** A provider has accepted the work. */
  wasAccepted: boolean;
  /** What the job holds; of one that waits nothing. */
  held: Amount;
}

interface Cancelled {
  /** Null: done; else why not: unknown, or the status that it has ended with. */
  refused: JobStatus | "unknown" | null;
  before: JobStatus;
  released: Amount;
}

/**
 * Within a transaction. The runner's next write finds that the job is no longer its own; a runner that ended it first has won. Work that a
 * provider has accepted costs nothing until late-watch.ts, which asks the provider to stop, finds it made anyway.
 */
export async function cancelJob({ pool }: Queries, catalog: Pick<Catalog, "models" | "tiers">, shownId: string): Promise<Cancelled> {
  const id = parseJobId(shownId)?.id;
  const { rows } = await pool.query<LockedJob>(
    `select status, model, route, request - 'uploads' as request, attempts, intent_at is not null as "wasAsked", upstream is not null as "wasAccepted",
       case when started_at is null then 0 else estimated end as held
     from media_lock($1) where shown_id = $2`,
    [id ?? null, shownId],
  );
  const [job] = rows;
  if (job === undefined) return { refused: "unknown", before: "failed", released: 0n };
  const values = [id, JSON.stringify(attemptsOf(catalog, job)), `${failureSentences.job_cancelled}.`, tierLimits(catalog.tiers)];
  const { rows: done } = await pool.query<Pick<Cancelled, "refused">>("select media_cancel($1, $2, $3, $4) as refused", values);
  return { refused: done[0]!.refused, before: job.status, released: job.held };
}

function attemptsOf(catalog: Pick<Catalog, "models">, { model, route, request, attempts, wasAsked, wasAccepted }: LockedJob): JobAttempt[] {
  const last = attempts.at(-1);
  if (wasAccepted && last?.cost !== undefined) return [...attempts.slice(0, -1), { ...last, cost: "0" }];
  if (wasAccepted || !wasAsked || request === null) return attempts;
  return [...attempts, ...lostAttempt(catalog, { model, route, request }, "the job was cancelled while the provider was asked")];
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
