// POST /v1/images/generations. The rules of a request are in src/jobs; the job becomes a reply here.
import { planImageJob } from "../src/jobs/plan-media.ts";
import { shownImageJob, shownQueuedImageJob, submitHeaders } from "../src/jobs/show-job.ts";
import { submitRequest } from "../src/jobs/submit-request.ts";
import type { Handler } from "../src/operation.ts";

export const createImage: Handler<"createImage"> = async (context, request, ask) => {
  const plan = await planImageJob(context, request.caller, request.body);
  const { job, outcome } = await submitRequest(context, ask, request, "image", plan);
  const headers = submitHeaders(job, plan);
  if (outcome === "pending") return { status: 202, headers, body: shownImageJob(job, context.publicUrl) };
  return { status: 200, headers, body: outcome === "queued" ? shownQueuedImageJob(job) : shownImageJob(job, context.publicUrl) };
};
