// Polls jobs that were given up or cancelled and whose upstream may still make them: the operator pays for that, not the customer
// (docs/behaviour/billing.md#ends).
import { type Amount, priceFromAmount } from "../money.ts";
import { expenseOf, type Used } from "../pricing/expense.ts";
import type { MediaPrices } from "../pricing/media-cost.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { MadeFile, Ticket } from "../providers/verbs/media.ts";
import { callOf, isLastWord, routeOf } from "./follow-ticket.ts";
import { costOfRoute } from "./job-expense.ts";
import { interval, type JobParts } from "./parts.ts";

interface LateJob {
  id: string;
  account_id: bigint;
  shown_id: string;
  request_id: string;
  model: string;
  route: string;
  upstream: Ticket;
  estimated: Amount;
  prices: MediaPrices;
  /** By an operator. A job that was given up asked its upstream to stop when it was. */
  is_cancelled: boolean;
}

type Watching = Pick<JobParts, "db" | "catalog" | "providers" | "times" | "log" | "counts">;

const most = 32;
const lookMs = 10_000;

/** Polls each job that is due once. A poll reserves the job first, so that replicas don't poll it twice. */
export async function watchLate(parts: Watching, signal: AbortSignal): Promise<void> {
  const { rows } = await parts.db.pool.query<LateJob>(
    `with due as materialized (select id from media_job where late_at <= now() order by late_at limit $1 for update skip locked)
     update media_job j set late_at = case when j.intent_at > now() - $3::interval then now() + $2::interval end from due where j.id = due.id
     returning j.id, j.account_id, j.shown_id, j.request_id, j.model, j.route, j.upstream, j.estimated, j.prices,
       j.error_code = 'job_cancelled' as is_cancelled`,
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
    // Each time until the upstream says what became of the work: the process that asked first may have died.
    if (job.is_cancelled) await queue.cancel(callOf(job, route!, signal), job.upstream).catch(() => undefined);
    const looked = await queue.look(callOf(job, route!, signal), job.upstream);
    if (looked.kind === "made") await writeExpense(parts, job, looked.files);
  } catch (error) {
    if (error instanceof UpstreamError) return isLastWord(error) ? await forget(parts, job) : undefined;
    if (!signal.aborted) throw error;
  }
}

/** Once for each job. Where its route names no cost, the customer's former hold stands for it. */
async function writeExpense({ db, log, catalog, counts }: Watching, job: LateJob, files: readonly MadeFile[]): Promise<void> {
  const { id, account_id, model, route, estimated, shown_id } = job;
  const cost = costOfRoute(catalog, model, route);
  const amount = cost === null ? estimated : expenseOf(cost, usedByLate(job, files));
  await db.pool.query(
    `with expense as (insert into media_expense (job_id, account_id, route, amount) values ($1, $2, $3, $4) on conflict do nothing)
     update media_job set late_at = null where id = $1`,
    [id, account_id, route, amount],
  );
  counts.countExpense(model, route, amount);
  log.warn({ job: shown_id, route }, "an upstream finished a job that had been given up; the customer was not charged");
}

/** A video that its provider doesn't measure is as long as was held for. */
function usedByLate({ prices, estimated }: LateJob, files: readonly MadeFile[]): Used {
  if (prices.unit !== "second") return { images: files.length };
  return { seconds: files[0]?.seconds ?? Number(priceFromAmount(estimated)) / Math.max(1, Number(prices.each)) };
}

async function forget({ db }: Watching, { id }: LateJob): Promise<void> {
  await db.pool.query("update media_job set late_at = null where id = $1", [id]);
}
