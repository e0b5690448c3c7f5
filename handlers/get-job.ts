// GET /v1/jobs/{id}: the state of an image or video job, now or once it has ended. Another account's job answers as one that never existed.
import { fail } from "../src/errors/fail.ts";
import { cutId } from "../src/ids.ts";
import { findJob } from "../src/jobs/read-jobs.ts";
import { pollHeaders, shownJob } from "../src/jobs/show-job.ts";
import { awaitEnd } from "../src/jobs/waiters.ts";
import type { Handler } from "../src/operation.ts";

export const getJob: Handler<"getJob"> = async (context, request, ask) => {
  const { id } = request.path;
  const ms = (request.query.wait ?? 0) * 1000;
  const read = () => findJob(context, request.caller, id, ["image", "video"]);
  const job = ms === 0 ? await read() : await awaitEnd(context, { shownId: id, ms, signal: ask.signal }, read);
  if (job === undefined) return fail("job_not_found", { text: { id: cutId(id) } });
  return { status: 200, headers: pollHeaders(job), body: shownJob(job, context.publicUrl) };
};
