// POST /v1/operator/accounts/{id}/suspend: refuses its keys and sessions.
import type { Handler } from "../src/operation.ts";
import { accountDetail, changeSuspension, findAccountId } from "../src/operators/accounts.ts";
import { actorOf } from "../src/operators/requests.ts";

export const suspendAccount: Handler<"suspendAccount"> = async (context, request) => {
  const accountId = await findAccountId(context, request.path.id);
  await changeSuspension(context, actorOf(request), { accountId, suspends: true, reason: request.body.reason.trim() });
  return { status: 200, body: await accountDetail(context, accountId) };
};
