// DELETE /v1/auth/totp: turns the second factor off.
import type { CallerSession } from "../src/accounts/caller.ts";
import type { Handler } from "../src/operation.ts";
import { endSecondFactor } from "../src/sign-in/second-factor.ts";

export const deleteTotp: Handler<"deleteTotp"> = async (context, { caller, receivedAt }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  await endSecondFactor(context, { accountId: personId, hash, at: receivedAt });
  return { status: 204 };
};
