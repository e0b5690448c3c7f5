// One request for media as a job: its idempotency key, its submit, and the job as its answer shows it.
import type { Context } from "../context.ts";
import { persist } from "../ledger/persist.ts";
import type { Request } from "../server/types.ts";
import { idempotencyKeyOf } from "./idempotency-key.ts";
import { type ReadJob, readJob } from "./read-jobs.ts";
import { submitJob, type SubmitOutcome } from "./submit.ts";
import type { JobDoor, JobPlan } from "./types.ts";

/** Of a request, what a job needs. */
export type MediaRequest = Pick<Request, "operationId" | "requestId" | "caller" | "headers" | "addHeaders"> & {
  body: { idempotency_key?: string | null };
};

export interface SubmittedJob {
  /** A new job whose turn came meanwhile is a known one. */
  outcome: SubmitOutcome;
  /** As it stands; a new one as it was submitted, however far its runner is by now. */
  job: ReadJob;
}

const readPatienceMs = 8_000;

/** Fails as submitJob does. */
export async function submitRequest(context: Context, request: MediaRequest, door: JobDoor, plan: JobPlan): Promise<SubmittedJob> {
  const { operationId, requestId, caller, headers, body, addHeaders } = request;
  const idempotencyKey = idempotencyKeyOf(body.idempotency_key, headers["idempotency-key"]);
  const { id, outcome } = await submitJob(context, { operationId, requestId, caller, door, idempotencyKey, addHeaders }, plan);
  // The hold is taken by now: an answer that fails would leave a job that its payer doesn't know of.
  const read = await persist(readPatienceMs, new AbortController().signal, () => readJob(context, caller, id));
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
