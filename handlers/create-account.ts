// POST /v1/operator/accounts: creates an account.
import type { Handler } from "../src/operation.ts";
import { accountDetail, createAccount as create } from "../src/operators/accounts.ts";
import { amountOf } from "../src/operators/money.ts";
import { actorOf } from "../src/operators/requests.ts";

export const createAccount: Handler<"createAccount"> = async (context, request) => {
  const { email, verified = false, deposit_usd, credit_usd, signup_credit: signupCredit = false, reason } = request.body;
  const accountId = await create(context, actorOf(request), {
    ...{ email: email.trim(), verified, signupCredit, reason: reason.trim() },
    deposit: deposit_usd === undefined ? null : amountOf("deposit_usd", deposit_usd),
    credit: credit_usd === undefined ? null : amountOf("credit_usd", credit_usd),
  });
  return { status: 200, body: await accountDetail(context, accountId) };
};
