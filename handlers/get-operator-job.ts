// GET /v1/operator/jobs/{id}: one media job of any account, with its attempts and ledger entries.
import type { Handler } from "../src/operation.ts";
import { jobDetail } from "../src/operators/calls.ts";

export const getOperatorJob: Handler<"getOperatorJob"> = async (context, { path }) => {
  return { status: 200, body: await jobDetail(context, path.id) };
};
