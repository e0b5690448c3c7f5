// POST /v1/operator/jobs/{id}/cancel: ends a media job of any account that has not ended, with its hold released.
import type { Handler } from "../src/operation.ts";
import { cancelJob, jobDetail } from "../src/operators/calls.ts";
import { actorOf } from "../src/operators/requests.ts";

export const cancelOperatorJob: Handler<"cancelOperatorJob"> = async (context, request) => {
  const { id } = request.path;
  await cancelJob(context, actorOf(request), { shownId: id, reason: request.body.reason.trim() });
  return { status: 200, body: await jobDetail(context, id) };
};
