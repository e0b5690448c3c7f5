// POST /v1/operator/accounts/{id}/tier: gives an account a tier, or the one that its deposits reach.
import type { Handler } from "../src/operation.ts";
import { accountDetail, changeTier, findAccountId } from "../src/operators/accounts.ts";
import { actorOf } from "../src/operators/requests.ts";

export const setAccountTier: Handler<"setAccountTier"> = async (context, request) => {
  const accountId = await findAccountId(context, request.path.id);
  const { tier, reason } = request.body;
  await changeTier(context, actorOf(request), { accountId, tier, reason: reason.trim() });
  return { status: 200, body: await accountDetail(context, accountId) };
};
