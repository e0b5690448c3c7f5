// GET /v1/genmedia/jobs/{request_id}: the state of a genmedia job. A failed job answers 200: the status describes the poll.
import { fail } from "../src/errors/fail.ts";
import { cutId } from "../src/ids.ts";
import { findJob } from "../src/jobs/read-jobs.ts";
import { shownGenmediaJob } from "../src/jobs/genmedia.ts";
import { pollHeaders } from "../src/jobs/show-job.ts";
import type { Handler } from "../src/operation.ts";

export const getGenmediaJob: Handler<"getGenmediaJob"> = async (context, { caller, path, requestId }) => {
  const job = await findJob(context, caller, path.request_id, ["genmedia"]);
  if (job === undefined) return fail("job_not_found", { text: { id: cutId(path.request_id) } });
  return { status: 200, headers: pollHeaders(job), body: shownGenmediaJob(job, { publicUrl: context.publicUrl, requestId }) };
};
