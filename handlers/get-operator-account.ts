// GET /v1/operator/accounts/{id}: one account with its money and keys.
import type { Handler } from "../src/operation.ts";
import { accountDetail, findAccountId } from "../src/operators/accounts.ts";

export const getOperatorAccount: Handler<"getOperatorAccount"> = async (context, { path }) => {
  return { status: 200, body: await accountDetail(context, await findAccountId(context, path.id)) };
};
