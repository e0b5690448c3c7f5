// GET /v1/auth/totp: whether the person's account has a second factor.
import type { CallerSession } from "../src/accounts/caller.ts";
import type { Handler } from "../src/operation.ts";
import { secondFactorRecord } from "../src/sign-in/second-factor.ts";

export const getTotp: Handler<"getTotp"> = async (context, { caller }) => {
  const { personId } = caller.session as CallerSession; // the contract accepts no API key here
  return { status: 200, body: await secondFactorRecord(context, personId) };
};
