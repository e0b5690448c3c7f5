// POST /v1/genmedia/run: submits a job and waits a while for its end. A caller's disconnect does not stop the job.
import { awaitSubmitted, failedJob } from "../src/jobs/waiters.ts";
import { genmediaErrorType, genmediaInput, shownGenmediaJob } from "../src/jobs/genmedia.ts";
import { planGenmediaJob } from "../src/jobs/plan-media.ts";
import { submitHeaders } from "../src/jobs/show-job.ts";
import { submitRequest } from "../src/jobs/submit-request.ts";
import type { Handler } from "../src/operation.ts";

export const runGenmedia: Handler<"runGenmedia"> = async (context, request, ask) => {
  const { caller, body, requestId } = request;
  const plan = await planGenmediaJob(context, caller, body.model, genmediaInput(body));
  const { job: submitted } = await submitRequest(context, ask, request, "genmedia", plan);
  const job = await awaitSubmitted(context, { caller, submitted, ms: context.jobs.runWaitMs, signal: ask.signal });
  const shown = shownGenmediaJob(job, { publicUrl: context.publicUrl, requestId });
  if ("error" in shown) return failedJob(context, { job, caller, model: plan.model }, { error_type: genmediaErrorType(job) });
  const headers = submitHeaders(job, plan);
  if (shown.status === "COMPLETED") return { status: 200, headers, body: shown };
  return { status: 202, headers, body: shown };
};
