// POST /v1/images/generations. The rules of a request are in src/jobs; the job becomes a reply here. With `Prefer: wait` the reply waits for the
// job's end; a caller's disconnect does not stop the job.
import type { Ask } from "../src/calls/ask.ts";
import type { Context } from "../src/context.ts";
import { awaitSubmitted, failedJob, preferredWait } from "../src/jobs/waiters.ts";
import { imageData } from "../src/jobs/image-data.ts";
import { planImageJob } from "../src/jobs/plan-media.ts";
import { shownImageJob, shownQueuedImageJob, submitHeaders } from "../src/jobs/show-job.ts";
import { submitRequest, type SubmittedJob } from "../src/jobs/submit-request.ts";
import type { JobPlan } from "../src/jobs/types.ts";
import type { Handler } from "../src/operation.ts";

const waitSeconds = { usual: 60, max: 120 };

export const createImage: Handler<"createImage"> = async (context, request, ask) => {
  const { caller, body } = request;
  const plan = await planImageJob(context, caller, body);
  const submitted = await submitRequest(context, ask, request, "image", plan);
  const seconds = preferredWait(request.headers["prefer"], waitSeconds);
  if (seconds === null) return { headers: submitHeaders(submitted.job, plan), ...shown(context, submitted) };
  return await waitedFor(context, ask, { plan, submitted, seconds, asBytes: body.response_format === "b64_json" });
};

interface Waited {
  plan: JobPlan;
  submitted: SubmittedJob;
  seconds: number;
  /** Images as base64 in place of addresses. */
  asBytes: boolean;
}

/** The images once they are made, else the job as it is after that time. Fails as the job does. */
export async function waitedFor(context: Context, { caller, signal }: Ask, { plan, submitted, seconds, asBytes }: Waited) {
  const job = await awaitSubmitted(context, { caller, submitted: submitted.job, ms: seconds * 1000, signal });
  const headers = { ...submitHeaders(job, plan), "preference-applied": "wait" };
  if (job.status === "failed" || job.status === "expired") return failedJob(context, { job, caller, model: plan.model });
  const outcome = submitted.outcome === "queued" && job.status !== "queued" ? "pending" : submitted.outcome;
  if (job.output === null) return { headers, ...shown(context, { job, outcome }) };
  const data = await imageData(context, job.output.files, { asBytes, signal });
  const created = Math.floor(job.created_at.getTime() / 1000);
  return { status: 200 as const, headers, body: { ...shownImageJob(job, context.publicUrl), created, data } };
}

function shown({ publicUrl }: Pick<Context, "publicUrl">, { job, outcome }: SubmittedJob) {
  if (outcome === "pending") return { status: 202 as const, body: shownImageJob(job, publicUrl) };
  return { status: 200 as const, body: outcome === "queued" ? shownQueuedImageJob(job) : shownImageJob(job, publicUrl) };
}
