// POST /v1/auth/totp/confirm: turns the second factor on with a first code, and shows the recovery codes.
import type { CallerSession } from "../src/accounts/caller.ts";
import type { Handler } from "../src/operation.ts";
import { confirmSecondFactor } from "../src/sign-in/second-factor.ts";

export const confirmTotp: Handler<"confirmTotp"> = async (context, { caller, body, address, receivedAt }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  const given = { accountId: personId, hash, at: receivedAt, code: body.code, client: address };
  return { status: 200, body: { object: "totp.recovery_codes", recovery_codes: await confirmSecondFactor(context, given) } };
};
