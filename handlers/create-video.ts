// POST /v1/videos/generations. The rules of a request stand in src/jobs; here the job becomes a reply.
import { assertClipsAreServed } from "../src/jobs/asked-model.ts";
import { planClip } from "../src/jobs/plan-media.ts";
import { shownQueuedVideoJob, shownVideoJob } from "../src/jobs/show-job.ts";
import { submitMedia } from "../src/jobs/submit-media.ts";
import type { Handler } from "../src/server/types.ts";

const submitClip: Handler<"createVideo"> = async (context, request) => {
  const plan = await planClip(context, request.caller, request.body);
  const { job, outcome, headers } = await submitMedia(context, request, "video", plan);
  if (outcome === "pending") return { status: 202, headers, body: shownVideoJob(job, context.publicUrl) };
  const waits = outcome === "queued" && job.status === "queued";
  return { status: 200, headers, body: waits ? shownQueuedVideoJob(job) : shownVideoJob(job, context.publicUrl) };
};

export const createVideo: Handler<"createVideo"> = Object.assign(submitClip, {
  beforeBody: ({ catalog }: Parameters<typeof submitClip>[0]) => assertClipsAreServed(catalog),
});
