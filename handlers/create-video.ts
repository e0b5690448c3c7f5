// POST /v1/videos/generations. The rules of a request are in src/jobs; the job becomes a reply here.
import { assertVideosAreServed, planVideoJob } from "../src/jobs/plan-media.ts";
import { shownQueuedVideoJob, shownVideoJob, submitHeaders } from "../src/jobs/show-job.ts";
import { submitRequest } from "../src/jobs/submit-request.ts";
import type { Handler } from "../src/operation.ts";

const submitVideo: Handler<"createVideo"> = async (context, request, ask) => {
  const plan = await planVideoJob(context, request.caller, request.body);
  const { job, outcome } = await submitRequest(context, ask, request, "video", plan);
  const headers = submitHeaders(job, plan);
  if (outcome === "pending") return { status: 202, headers, body: shownVideoJob(job, context.publicUrl) };
  return { status: 200, headers, body: outcome === "queued" ? shownQueuedVideoJob(job) : shownVideoJob(job, context.publicUrl) };
};

export const createVideo: Handler<"createVideo"> = Object.assign(submitVideo, {
  beforeBody: ({ catalog }: Parameters<typeof submitVideo>[0]) => assertVideosAreServed(catalog),
});
