// A planned job becomes a row: pending with its hold, queued without one, the one that its idempotency key names, or a refusal.
// All of it is decided by one statement (migration 0009, media_submit).
import { randomBytes } from "node:crypto";
import type { OperationId } from "../../generated/operations.ts";
import { refuseBalance, refuseKey } from "../admission/payment.ts";
import type { Caller, Context } from "../context.ts";
import { refuseInDoubt } from "../db/standing.ts";
import { fail } from "../errors/fail.ts";
import { uuidv7 } from "../ids.ts";
import { mayPass, persist } from "../ledger/persist.ts";
import { countCall, orGiveBack } from "../limits/call.ts";
import type { Amount } from "../money.ts";
import { traceNow } from "../telemetry/trace-scope.ts";
import { jobIdText } from "./job-id.ts";
import { tierLimits } from "./tiers.ts";
import type { JobDoor, JobPlan } from "./types.ts";

/** WIRE.md 14 row 21: so long after its end a job is still what its idempotency key names. */
const idempotencyLife = "24 hours";

/** Who submits; of a request, what a job needs of it. */
interface SubmitAsk {
  operationId: OperationId;
  caller: Caller;
  requestId: string;
  door: JobDoor;
  /** Cut to 128 code points; null: none. */
  idempotencyKey: string | null;
  addHeaders: (headers: Record<string, string>) => void;
}

export type SubmitOutcome = "pending" | "queued" | "known";

export interface Submitted {
  /** Of the new job, or of the known one. */
  id: string;
  outcome: SubmitOutcome;
}

type Submitting = Pick<Context, "db" | "catalog" | "clock" | "limits" | "publicUrl" | "jobs" | "countHold">;

/** Fails with rate_limit_exceeded, rate_limited (the queue is full), insufficient_credits, key_limit_reached or db_error. */
export async function submitJob(context: Submitting, ask: SubmitAsk, plan: JobPlan): Promise<Submitted> {
  const { caller, addHeaders } = ask;
  refuseInDoubt(context.db);
  const counted = await countCall(context, { caller, model: plan.model, tokens: { input: 0, output: 0 }, addHeaders });
  return await orGiveBack(counted, insertJob(context, ask, plan));
}

interface SubmitRow {
  outcome: SubmitOutcome | "full" | "balance" | "key";
  id: string;
  available: Amount;
  reserved: Amount;
  key_left: Amount | null;
  waiting_max: number;
}

async function insertJob(context: Submitting, ask: SubmitAsk, plan: JobPlan): Promise<Submitted> {
  const { caller, door } = ask;
  const id = uuidv7(context.clock());
  const job = {
    id,
    account_id: String(caller.accountId),
    key_id: caller.keyId === null ? null : String(caller.keyId),
    door,
    kind: plan.request.kind,
    shown_id: jobIdText(door, id),
    idempotency_key: ask.idempotencyKey,
    request_id: ask.requestId,
    operation: ask.operationId,
    model: plan.model.id,
    alias: plan.alias,
    request: { ...plan.request, traceparent: traceNow()?.traceparent },
    prices: plan.prices,
    secret: randomBytes(16).toString("hex"),
    estimated: String(plan.estimated),
  };
  const row = await submitRow(context, caller.accountId, job);
  if (row.outcome === "pending") {
    context.jobs.wake();
    context.countHold("media", plan.estimated);
  }
  if (row.outcome === "full") fail("rate_limited", { text: { limit: row.waiting_max } });
  const shortfall = { caller, model: plan.model, need: plan.estimated, available: row.available, reserved: row.reserved };
  if (row.outcome === "key" || row.outcome === "balance") context.countHold("media", null);
  if (row.outcome === "key") await refuseKey(context, { ...shortfall, keyLeft: row.key_left! });
  if (row.outcome === "balance") refuseBalance(context, shortfall);
  return { id: row.id, outcome: row.outcome as SubmitOutcome };
}

/** An account that is busy, or a Postgres that fails over, is waited for; the row's id makes it safe to ask again. */
const patienceMs = 8_000;

async function submitRow({ db, catalog, jobs }: Submitting, accountId: bigint, job: object): Promise<SubmitRow> {
  const sql = "select outcome, id, available, reserved, key_left, waiting_max from media_submit($1, $2, $3)";
  const values = [JSON.stringify(job), tierLimits(catalog.tiers), idempotencyLife];
  const enough = AbortSignal.timeout(patienceMs);
  try {
    const { rows } = await persist(patienceMs, enough, () => jobs.inTurn(accountId, enough, () => db.pool.query<SubmitRow>(sql, values)));
    return rows[0]!;
  } catch (cause) {
    if (mayPass(cause) || cause === enough.reason) fail("db_error", { cause });
    throw cause;
  }
}
