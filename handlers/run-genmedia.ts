// POST /v1/genmedia/run: submits a job and waits a while for its end. A caller's disconnect does not stop the job.
import { failedJob, genmediaInput, shownGenmediaJob } from "../src/jobs/genmedia.ts";
import { planGenmediaJob } from "../src/jobs/plan-media.ts";
import { readJob } from "../src/jobs/read-jobs.ts";
import { submitHeaders } from "../src/jobs/show-job.ts";
import { submitRequest } from "../src/jobs/submit-request.ts";
import { awaitEnd } from "../src/jobs/waiters.ts";
import { mayPass, persist } from "../src/ledger/account-batcher.ts";
import type { Handler } from "../src/operation.ts";

const outageMs = 1_000;

export const runGenmedia: Handler<"runGenmedia"> = async (context, request, ask) => {
  const { caller, body, requestId } = request;
  const plan = await planGenmediaJob(context, caller, body.model, genmediaInput(body));
  const { job: submitted } = await submitRequest(context, ask, request, "genmedia", plan);
  const waiting = { shownId: submitted.shown_id, ms: context.jobs.runWaitMs, signal: ask.signal };
  // The job is accepted and held for: a transient error of the database must not become the answer, or its payer would never hear of the job.
  const read = () =>
    persist(outageMs, ask.signal, () => readJob(context, caller, submitted.id)).catch((error: unknown) => {
      if (mayPass(error)) return submitted;
      throw error;
    });
  const job = (await awaitEnd(context, waiting, read)) ?? submitted;
  const shown = shownGenmediaJob(job, { publicUrl: context.publicUrl, requestId });
  if ("error" in shown) return failedJob(context, { job, caller, model: plan.model });
  const headers = submitHeaders(job, plan);
  if (shown.status === "COMPLETED") return { status: 200, headers, body: shown };
  return { status: 202, headers, body: shown };
};
