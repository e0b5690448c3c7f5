// POST /v1/auth/totp: makes the secret of a second factor, which a first code turns on.
import type { CallerSession } from "../src/accounts/caller.ts";
import type { Handler } from "../src/operation.ts";
import { beginSecondFactor } from "../src/sign-in/second-factor.ts";

export const beginTotp: Handler<"beginTotp"> = async (context, { caller, receivedAt }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  return { status: 200, body: await beginSecondFactor(context, { accountId: personId, hash, at: receivedAt }) };
};
