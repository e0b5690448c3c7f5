// Polls jobs that were given up and whose upstream may still make them: the operator pays for that, not the customer
// (docs/behaviour/billing.md#ends).
import type { Amount } from "../money.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Ticket } from "../providers/verbs/media.ts";
import { callOf, isLastWord, routeOf } from "./follow-ticket.ts";
import type { JobParts } from "./parts.ts";
import { interval } from "./times.ts";

interface LateJob {
  id: string;
  account_id: bigint;
  shown_id: string;
  request_id: string;
  model: string;
  route: string;
  upstream: Ticket;
  estimated: Amount;
}

type Watching = Pick<JobParts, "db" | "catalog" | "providers" | "times" | "log">;

const most = 32;
const lookMs = 10_000;

/** Polls each job that is due once. A poll reserves the job first, so that replicas don't poll it twice. */
export async function watchLate(parts: Watching, signal: AbortSignal): Promise<void> {
  const { rows } = await parts.db.pool.query<LateJob>(
    `with due as materialized (select id from media_job where late_at <= now() order by late_at limit $1 for update skip locked)
     update media_job j set late_at = case when j.intent_at > now() - $3::interval then now() + $2::interval end from due where j.id = due.id
     returning j.id, j.account_id, j.shown_id, j.request_id, j.model, j.route, j.upstream, j.estimated`,
    [most, interval(parts.times.lateMs), interval(parts.times.runLifeMs)],
  );
  await Promise.all(rows.map((job) => watchOne(parts, job, signal)));
}

async function watchOne(parts: Watching, job: LateJob, stopping: AbortSignal): Promise<void> {
  const route = routeOf(parts.catalog, job.route);
  const queue = route && parts.providers.queues[route.provider.protocol];
  if (queue === undefined) return await forget(parts, job);
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(lookMs)]);
  try {
    const looked = await queue.look(callOf(job, route!, signal), job.upstream);
    if (looked.kind === "made") await writeExpense(parts, job);
  } catch (error) {
    if (error instanceof UpstreamError) return isLastWord(error) ? await forget(parts, job) : undefined;
    if (!signal.aborted) throw error;
  }
}

/** Once for each job. The customer's former hold serves as the estimate of what the upstream charges. */
async function writeExpense({ db, log }: Watching, { id, account_id, route, estimated, shown_id }: LateJob): Promise<void> {
  await db.pool.query(
    `with expense as (insert into media_expense (job_id, account_id, route, amount) values ($1, $2, $3, $4) on conflict do nothing)
     update media_job set late_at = null where id = $1`,
    [id, account_id, route, estimated],
  );
  log.warn({ job: shown_id, route }, "an upstream finished a job that had been given up; the customer was not charged");
}

async function forget({ db }: Watching, { id }: LateJob): Promise<void> {
  await db.pool.query("update media_job set late_at = null where id = $1", [id]);
}
