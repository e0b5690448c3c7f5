// POST /v1/images/generations. The rules of a request stand in src/jobs; here the job becomes a reply.
import { planPicture } from "../src/jobs/plan-media.ts";
import { shownImageJob, shownQueuedImageJob } from "../src/jobs/show-job.ts";
import { submitMedia } from "../src/jobs/submit-media.ts";
import type { Handler } from "../src/server/types.ts";

export const createImage: Handler<"createImage"> = async (context, request) => {
  const plan = await planPicture(context, request.caller, request.body);
  const { job, outcome, headers } = await submitMedia(context, request, "image", plan);
  if (outcome === "pending") return { status: 202, headers, body: shownImageJob(job, context.publicUrl) };
  const waits = outcome === "queued" && job.status === "queued";
  return { status: 200, headers, body: waits ? shownQueuedImageJob(job) : shownImageJob(job, context.publicUrl) };
};
