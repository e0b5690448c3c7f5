// POST /v1/operator/accounts/{id}/resume: lets it call again.
import type { Handler } from "../src/operation.ts";
import { accountDetail, changeSuspension, findAccountId } from "../src/operators/accounts.ts";
import { actorOf } from "../src/operators/requests.ts";

export const resumeAccount: Handler<"resumeAccount"> = async (context, request) => {
  const accountId = await findAccountId(context, request.path.id);
  await changeSuspension(context, actorOf(request), { accountId, suspends: false, reason: request.body.reason.trim() });
  return { status: 200, body: await accountDetail(context, accountId) };
};
