// GET /v1/jobs: a page of the account's image and video jobs, newest first.
import { resolveModel } from "../src/catalog/resolve.ts";
import { failParameter } from "../src/errors/fail.ts";
import { findJob, readJobs } from "../src/jobs/read-jobs.ts";
import { shownJob } from "../src/jobs/show-job.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";

/** The contract's default: the edge's validator does not fill it in. */
const limitDefault = 20;

export const listJobs: Handler<"listJobs"> = async (context, { caller, query }) => {
  const { after, status, model, kind, limit = limitDefault } = query;
  const filter = {
    statuses: status,
    // Jobs are stored under the model's id; a model that is no longer served may still have some.
    model: model === undefined ? undefined : (resolveModel(context.catalog, model)?.model.id ?? model),
    kind,
    before: after === undefined ? undefined : await placeOf(after),
  };
  const { rows, hasMore } = await pageOf(limit, (most) => readJobs(context, caller, filter, most));
  const data = rows.map((job) => shownJob(job, context.publicUrl));
  return {
    status: 200,
    body: { object: "list", data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null },
  };

  async function placeOf(id: string): Promise<bigint> {
    const job = await findJob(context, caller, id, ["image", "video"]);
    return job?.seq ?? failParameter("after", "it must be an id of this list");
  }
};
