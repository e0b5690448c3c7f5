// Submits one media request: its idempotency key, the job, and the job as the reply shows it.
import { randomBytes } from "node:crypto";
import type { Ask } from "../calls/ask.ts";
import { countCall } from "../calls/admit.ts";
import type { PlannedCall } from "../calls/quote.ts";
import { refuseUnpaid } from "../calls/refusals.ts";
import type { Catalog, Tier } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { refuseInDoubt } from "../db/database-checks.ts";
import { ApiError, fail } from "../errors/fail.ts";
import { uuidv7 } from "../ids.ts";
import { mayPass, persist } from "../ledger/account-batcher.ts";
import type { Amount } from "../money.ts";
import type { Request } from "../operation.ts";
import { traceNow } from "../tracing.ts";
import { jobIdText, type ReadJob, readJob } from "./read-jobs.ts";
import type { JobApi, JobPlan } from "./types.ts";

/** The parts of a request that a job needs. */
export type MediaRequest = Pick<Request, "headers"> & {
  body: { idempotency_key?: string | null };
};

export interface SubmittedJob {
  /** `known` also for a new job that was started meanwhile. */
  outcome: SubmitOutcome;
  /** Its current state; for a new job that of its submit, however far its runner is by now. */
  job: ReadJob;
}

/** Fails as submitJob does. */
export async function submitRequest(
  context: Context,
  { operationId, requestId, caller, tags, addHeaders, quote }: Ask,
  { headers, body }: MediaRequest,
  api: JobApi,
  plan: JobPlan,
): Promise<SubmittedJob> {
  const idempotencyKey = idempotencyKeyOf(body.idempotency_key, headers["idempotency-key"]);
  const submitting = { operationId, requestId, caller, tags, api, idempotencyKey, addHeaders };
  quote?.(plannedCall(context, { ...submitting, idempotencyKey: null }, plan));
  const { id, outcome } = await submitJob(context, submitting, plan);
  // Money is held by now: a failed reply would leave a job that its payer doesn't know of.
  const read = await persist(context.jobs.submitTimeoutMs, new AbortController().signal, () => readJob(context, caller, id));
  if (read === undefined) throw new Error(`job ${id} is gone right after its submit`);
  if (outcome === "pending") return { outcome, job: asSubmitted(read) };
  return { outcome: read.status === "queued" ? outcome : "known", job: read };
}

function asSubmitted(job: ReadJob): ReadJob {
  const nothing = {
    completed_at: null,
    output: null,
    error_code: null,
    error_message: null,
    error_word: null,
    charged: null,
    refunded: null,
  };
  return { ...job, ...nothing, status: "pending", queue_position: null };
}

// The idempotency key of a submit (docs/behaviour/media-jobs.md#idempotency): the body's wins over the header's; both are truncated, never
// refused.

const charactersMax = 128;

/** Null: none, or an empty one. */
export function idempotencyKeyOf(fromBody: string | null | undefined, fromHeader: string | undefined): string | null {
  const given = fromBody || utf8Of(fromHeader ?? "");
  // A character has at most two code units; the rest is never read.
  const cut = [...given.slice(0, 2 * charactersMax)].slice(0, charactersMax).join("");
  return cut === "" ? null : cut.toWellFormed();
}

/** Header values arrive as one character a byte; clients write UTF-8. */
function utf8Of(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? header : text;
}

// Turns a planned job into a row, by one statement (src/db/functions/media_submit.sql): pending with its hold, queued without one, the job that
// its idempotency key names, or a refusal.

/** How long after its end a job is found by its idempotency key. */
const idempotencyLife = "24 hours";

/** What a submit needs of its request. */
interface SubmitAsk extends Pick<Ask, "operationId" | "caller" | "requestId" | "tags" | "addHeaders"> {
  api: JobApi;
  /** Cut to 128 code points; null: none. */
  idempotencyKey: string | null;
}

type SubmitOutcome = "pending" | "queued" | "known";

export interface Submitted {
  /** Of the new job, or of the known one. */
  id: string;
  outcome: SubmitOutcome;
}

type Submitting = Pick<Context, "db" | "ledger" | "catalog" | "clock" | "limits" | "publicUrl" | "jobs" | "countHold">;

/** Fails with rate_limit_exceeded, rate_limited (the queue is full), insufficient_credits, key_limit_reached or db_error. */
export async function submitJob(context: Submitting, ask: SubmitAsk, plan: JobPlan): Promise<Submitted> {
  const { caller, addHeaders } = ask;
  refuseInDoubt(context.db);
  const limited = { caller, model: plan.model, tokens: { input: 0, output: 0 }, addHeaders };
  return await countCall(context, limited, () => insertJob(context, ask, plan));
}

interface SubmitRow {
  outcome: SubmitOutcome | "full" | "balance" | "key";
  id: string;
  available: Amount;
  reserved: Amount;
  key_left: Amount | null;
  waiting_max: number;
}

function jobOf({ clock }: Pick<Context, "clock">, ask: SubmitAsk, plan: JobPlan) {
  const { caller, api } = ask;
  const id = uuidv7(clock());
  return {
    id,
    account_id: String(caller.accountId),
    key_id: caller.keyId === null ? null : String(caller.keyId),
    api,
    kind: plan.request.kind,
    shown_id: jobIdText(api, id),
    idempotency_key: ask.idempotencyKey,
    request_id: ask.requestId,
    operation: ask.operationId,
    model: plan.model.id,
    alias: plan.alias,
    request: { ...plan.request, traceparent: traceNow()?.traceparent },
    prices: plan.prices,
    secret: randomBytes(16).toString("hex"),
    estimated: String(plan.estimated),
    tags: ask.tags,
  };
}

async function insertJob(context: Submitting, ask: SubmitAsk, plan: JobPlan): Promise<Submitted> {
  const { caller } = ask;
  const job = jobOf(context, ask, plan);
  const row = await context.ledger.recalling(
    caller.accountId,
    () => submitRow(context, caller.accountId, job),
    ({ outcome }) => outcome === "balance" || outcome === "key",
  );
  if (row.outcome === "pending") {
    context.jobs.wake();
    context.countHold("media", plan.estimated);
  }
  if (row.outcome === "full") throw queueIsFull(row);
  if (row.outcome === "key" || row.outcome === "balance") {
    context.countHold("media", null);
    const { outcome: refused, available, reserved, key_left: keyLeft } = row;
    await refuseUnpaid(context, { caller, model: plan.model, need: plan.estimated }, { refused, available, reserved, keyLeft });
  }
  return { id: row.id, outcome: row.outcome as SubmitOutcome };
}

function queueIsFull({ waiting_max: limit }: SubmitRow): ApiError {
  return new ApiError("rate_limited", { text: { limit } });
}

/** A job that is only quoted. It has no idempotency key, so that it is a new one. */
function plannedCall(context: Pick<Context, "catalog" | "clock">, ask: SubmitAsk, plan: JobPlan): PlannedCall {
  const { model, alias, estimated } = plan;
  const { catalog } = context;
  return {
    ...{ admitted: { model, alias }, tokens: { input: 0, output: 0 }, want: estimated, least: estimated, affordable: null },
    async hold({ pool }) {
      const row = (await pool.query<SubmitRow>(submitSql, submitValues(catalog, jobOf(context, ask, plan)))).rows[0]!;
      const { outcome, available, reserved, key_left: keyLeft } = row;
      const granted = outcome === "pending" ? estimated : null;
      return { granted, available, reserved, keyLeft, slots: outcome === "full" ? queueIsFull(row) : null, queued: outcome === "queued" };
    },
    likely: async () => ({ cost: estimated, basis: "ordered", tokens: null }),
    routes: () => model.candidates, // another model never makes a job
  };
}

const submitSql = "select outcome, id, available, reserved, key_left, waiting_max from media_submit($1, $2, $3)";

function submitValues({ tiers }: Pick<Catalog, "tiers">, job: object): unknown[] {
  return [JSON.stringify(job), tierLimits(tiers), idempotencyLife];
}

/** Outlasts a busy account and a failover of Postgres; the row's id makes retries safe. */
async function submitRow({ db, catalog, jobs }: Submitting, accountId: bigint, job: object): Promise<SubmitRow> {
  const values = submitValues(catalog, job);
  const enough = AbortSignal.timeout(jobs.submitTimeoutMs);
  try {
    const { rows } = await persist(jobs.submitTimeoutMs, enough, () =>
      jobs.accountMutex(accountId, enough, () => db.pool.query<SubmitRow>(submitSql, values)),
    );
    return rows[0]!;
  } catch (cause) {
    if (mayPass(cause) || cause === enough.reason) fail("db_error", { cause });
    throw cause;
  }
}

// The catalog's tiers as the database's functions take them (src/db/functions/media_limits.sql).

/** As JSON text, the lowest tier first. */
export function tierLimits(tiers: readonly Tier[]): string {
  const rows = [...tiers].sort((one, other) => one.tier - other.tier).map(limitsOf);
  return JSON.stringify(rows);
}

function limitsOf(tier: Tier) {
  const { combined_media_concurrent: slots, combined_queue_depth_cap: waiting } = tier;
  return {
    number: tier.tier,
    deposit: Math.round(tier.min_deposit * 1e8),
    image: { slots: tier.image_concurrent, waiting: tier.image_queue_depth_cap },
    video: { slots: tier.video_concurrent, waiting: tier.video_queue_depth_cap },
    ...(slots === undefined ? {} : { media: { slots, waiting: waiting ?? tier.image_queue_depth_cap } }),
  };
}
