// Runs one job from its claim to its end, from wherever its last runner left it.
import type { Catalog } from "../catalog/types.ts";
import { ApiError } from "../errors/fail.ts";
import { mayPass, persist } from "../ledger/account-batcher.ts";
import type { Amount } from "../money.ts";
import { expenseOf, type Used } from "../pricing/expense.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Route, UpstreamCall } from "../providers/types.ts";
import type { Begun, ImageOrder, MadeFile, Ticket } from "../providers/verbs/media.ts";
import { type Attempt, attempt, reportAttempts } from "../routing/attempt.ts";
import { attemptRecord } from "../calls/log-row.ts";
import { candidatesOf } from "../routing/candidates.ts";
import { type ClaimedJob, type JobAttempt, LeaseLost, readUploads, writeIntent, writeTicket } from "./claim.ts";
import { deliver } from "./deliver.ts";
import { type Delivered, type Ending, endJob, type FailedEnding, logCharge } from "./end-job.ts";
import { callOf, followTicket, isLastWord, routeOf } from "./follow-ticket.ts";
import { costOfRoute, lostAttempt, usedByOrder } from "./job-expense.ts";
import { failureOf, JobFailure, mostTelling, reportTrouble } from "./job-failure.ts";
import type { Held, JobParts } from "./parts.ts";
import type { Uploads } from "./types.ts";

/** dropped: another runner has it. handed over: to be given back. */
export type RunEnd = "ended" | "dropped" | "handed over";

/** How long to retry writing a ticket; without it the upstream's work is lost. */
const ticketTimeoutMs = 60_000;
const cancelMs = 5_000;
/** Long enough for a transient error; a process that stops must not wait for a longer outage. */
const lookMs = 3_000;

class HandedOver extends Error {}

export async function runJob(parts: JobParts, job: ClaimedJob, held: Held): Promise<RunEnd> {
  const attempts: JobAttempt[] = [...job.attempts];
  const late = new AbortController();
  const deadline = setTimeout(() => late.abort(), Math.max(0, Math.ceil(parts.times.deadlineMs[job.kind] - job.age_ms)));
  const running: Running = { job, held, signal: AbortSignal.any([held.signal, late.signal]), attempts, ticket: null, kept: [] };
  let ending: Ending;
  try {
    const { files, route } = await make(parts, running);
    ending = { delivered: await deliver(parts, job, { files, provider: route.provider, kept: running.kept }, running.signal) };
  } catch (error) {
    if (held.signal.aborted || error instanceof LeaseLost) {
      await removeUseless(parts, running);
      return "dropped";
    }
    if (error instanceof HandedOver) return "handed over";
    // Without the database it can't go on; the next runner finds what was written so far.
    if (mayPass(error)) return "handed over";
    ending = late.signal.aborted ? await giveUp(parts, running) : { failure: asFailure(parts, job, error), watch: false };
    reportTrouble(parts, job, attempts, ending.failure);
  } finally {
    clearTimeout(deadline);
  }
  correctExpense(parts.catalog, job, attempts, ending);
  let isEnded = false;
  try {
    isEnded = await endJob(parts, job, ending, attempts, held.signal);
  } finally {
    if (!isEnded || "failure" in ending) await removeUseless(parts, running, isEnded);
    if (!isEnded && "delivered" in ending) await logUnheard(parts, job);
  }
  return isEnded ? "ended" : "dropped";
}

/** Not earlier: until the job has failed, here or elsewhere, another runner may store the same names for good. */
async function removeUseless(parts: JobParts, { job, kept }: Running, isSure = false): Promise<void> {
  if (kept.length === 0 || !(isSure || (await hasFailed(parts, job)))) return;
  await Promise.allSettled(kept.map((name) => parts.media.store.remove(name)));
}

/** The charge of an end that this runner wrote, perhaps, and whose answer was lost. */
async function logUnheard(parts: JobParts, job: ClaimedJob): Promise<void> {
  const { charged } = await readEnd(parts, job);
  if (charged !== null) logCharge(parts, job, charged);
}

async function hasFailed(parts: JobParts, job: ClaimedJob): Promise<boolean> {
  const { status } = await readEnd(parts, job);
  return status === "failed" || status === "expired";
}

interface WrittenEnd {
  status: string | null;
  charged: Amount | null;
}

/**
 * How the job ended although this runner did not hear that it ended it: by an earlier attempt whose answer was lost, by another runner, or by
 * an operator. A failed job never changes. Where it can't be read, its files stay.
 */
async function readEnd({ db }: JobParts, { id }: ClaimedJob): Promise<WrittenEnd> {
  const look = () => db.pool.query<WrittenEnd>("select status, charged from media_job where id = $1", [id]);
  const found = await persist(lookMs, AbortSignal.timeout(lookMs), look).catch(() => null);
  return found?.rows[0] ?? { status: null, charged: null };
}

interface Running {
  job: ClaimedJob;
  held: Held;
  /** Fires when the lease is lost, the process stops or the job's time is over. */
  signal: AbortSignal;
  attempts: JobAttempt[];
  ticket: { ticket: Ticket; route: Route } | null;
  /** Names of its files in the store. */
  kept: string[];
}

async function make(parts: JobParts, running: Running): Promise<{ files: MadeFile[]; route: Route }> {
  const { job, signal, attempts } = running;
  if (job.upstream !== null) {
    const route = routeOf(parts.catalog, job.route ?? "");
    if (route === undefined) throw new JobFailure("provider_unavailable", "The provider can no longer be asked.");
    running.ticket = { ticket: job.upstream, route };
  } else if (job.was_asked) {
    attempts.push(...lostAttempt(parts.catalog, job));
    throw new JobFailure("provider_error", "The gateway was interrupted while the provider was asked; the job is not repeated.");
  } else {
    if (job.is_revoked) throw new JobFailure("job_cancelled", "The API key of the job was disabled or deleted.");
    signal.throwIfAborted();
    const { begun, route } = await beginJob(parts, job, signal, attempts);
    if (begun.kind === "made") return { files: begun.files, route };
    running.ticket = { ticket: begun.ticket, route };
    await keepTicket(parts, running, running.ticket);
  }
  return { files: await follow(parts, running, running.ticket), route: running.ticket.route };
}

/** Written even when the time is over: work that goes on upstream must be found again. */
async function keepTicket(parts: JobParts, { job, held, attempts }: Running, work: { ticket: Ticket; route: Route }): Promise<void> {
  try {
    await persist(ticketTimeoutMs, held.signal, () => writeTicket(parts, job.id, work.ticket, attempts));
  } catch (error) {
    await cancel(parts, job, work);
    throw error;
  }
}

/** Gives the job up as soon as this process stops, since another one can continue. */
async function follow(parts: JobParts, { job, held, signal }: Running, work: { ticket: Ticket; route: Route }): Promise<MadeFile[]> {
  try {
    return await followTicket(parts, job, work, AbortSignal.any([signal, held.handover]));
  } catch (error) {
    if (held.handover.aborted && !signal.aborted && !(error instanceof JobFailure)) throw new HandedOver();
    throw error;
  }
}

/** The customer is not charged, whatever the upstream still makes (docs/behaviour/billing.md#ends). */
async function giveUp(parts: JobParts, { job, ticket }: Running): Promise<FailedEnding> {
  if (ticket !== null) await cancel(parts, job, ticket);
  return { failure: new JobFailure("timeout", "The job was not finished in time."), watch: ticket !== null };
}

/** The upstream may have finished anyway. */
async function cancel({ providers, log }: JobParts, job: ClaimedJob, { ticket, route }: { ticket: Ticket; route: Route }): Promise<void> {
  if (ticket.cancelUrl === null) return;
  const call = callOf(job, route, AbortSignal.timeout(cancelMs));
  await providers.queues[route.provider.protocol]?.cancel(call, ticket).catch((error: unknown) => {
    log.warn({ err: error, job: job.shown_id }, "an upstream did not cancel a job's work");
  });
}

function asFailure({ onFault }: JobParts, job: ClaimedJob, error: unknown): JobFailure {
  if (error instanceof JobFailure) return error;
  onFault(error, `running ${job.shown_id}`);
  return new JobFailure("provider_error", "The gateway failed to run the job.", null, error);
}

// Tries a model's routes, one after another. Each attempt is written down before the route is asked.

interface BegunJob {
  begun: Begun;
  route: Route;
}

/** Longer than most restarts of Postgres; no upstream has been asked yet. */
const intentTimeoutMs = 30_000;

/** Fills `attempts`. Throws JobFailure when no route accepted the job. */
async function beginJob(parts: JobParts, job: ClaimedJob, signal: AbortSignal, attempts: JobAttempt[]): Promise<BegunJob> {
  const model = parts.catalog.models.get(job.model);
  const candidates =
    model === undefined
      ? []
      : candidatesOf(
          parts.catalog,
          model,
          () => false,
          () => String(job.id),
        );
  const faults: { error: UpstreamError; upstream: string }[] = [];
  const tried: Attempt[] = [];
  try {
    const { result, candidate } = await attempt(candidates, parts.breakers, signal, tried, async ({ route, routeId }, heard) => {
      const uploads = job.has_uploads ? await persist(intentTimeoutMs, signal, () => readUploads(parts, job.id)) : null;
      await persist(intentTimeoutMs, signal, () => writeIntent(parts, job.id, routeId));
      signal.throwIfAborted();
      try {
        return await askRoute(parts, job, uploads, { route, signal, heard });
      } catch (error) {
        if (error instanceof UpstreamError) faults.push({ error, upstream: route.model });
        throw error;
      }
    });
    return { begun: result, route: candidate.route };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const worst = mostTelling(faults.map((fault) => fault.error));
    if (worst === undefined) throw new JobFailure("provider_unavailable", "The model is not served at the moment.", null, error);
    throw failureOf(worst, { upstream: faults.find((fault) => fault.error === worst)!.upstream, shown: job.model });
  } finally {
    reportAttempts({ log: parts.log, ...parts.counts }, { job: job.shown_id }, tried);
    attempts.push(...tried.map((one) => ({ ...attemptRecord(one, usedByOrder(job.request)), layer: one.candidate.layer })));
  }
}

async function askRoute(
  { providers }: JobParts,
  { id, request, request_id, model }: ClaimedJob,
  uploads: Uploads | null,
  asked: Pick<UpstreamCall, "route" | "signal" | "heard">,
): Promise<Begun> {
  const call = { ...asked, requestId: request_id, publicModel: model, jobId: id };
  const { protocol } = asked.route.provider;
  if (request.kind === "image") {
    const make = providers.images[protocol];
    if (make) return await make({ ...call, order: uploads === null ? request.order : withUploads(request.order, uploads) });
  } else {
    const make = providers.videos[protocol];
    if (make) return await make({ ...call, order: request.order });
  }
  throw new UpstreamError("gone", `${protocol} makes no ${request.kind}`);
}

function withUploads(order: ImageOrder, { images, mask }: Uploads): ImageOrder {
  return { ...order, references: images, ...(mask !== undefined && { mask }) };
}

// What it cost, once it has ended.

/** Corrects the attempt that was accepted. Work that was given up costs nothing until late-watch.ts finds it made. */
function correctExpense(catalog: Pick<Catalog, "models">, job: ClaimedJob, attempts: readonly JobAttempt[], ending: Ending): void {
  const accepted = attempts.at(-1);
  if (accepted?.outcome !== "ok" || accepted.cost === undefined) return;
  if ("delivered" in ending) {
    const cost = costOfRoute(catalog, job.model, accepted.route);
    if (cost !== null) accepted.cost = String(expenseOf(cost, usedByFiles(job, ending.delivered)));
  } else if (ending.watch || isUnmade(ending.failure.cause)) accepted.cost = "0";
}

function usedByFiles({ kind }: ClaimedJob, { output: { files }, units }: Delivered): Used {
  return kind === "image" ? { images: files.length } : { seconds: units };
}

/** The provider itself says that it made nothing. */
function isUnmade(cause: unknown): boolean {
  return cause instanceof UpstreamError && isLastWord(cause);
}
