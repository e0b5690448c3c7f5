// POST /v1/auth/session/confirm: the person of the session gives the password or a code again.
import type { CallerSession } from "../src/accounts/caller.ts";
import type { Handler } from "../src/operation.ts";
import { confirmAgain } from "../src/sign-in/second-factor.ts";

export const confirmSession: Handler<"confirmSession"> = async (context, { caller, body, address, receivedAt }) => {
  const { hash } = caller.session as CallerSession; // the contract accepts no API key here
  const until = await confirmAgain(context, { hash, password: body.password, code: body.code, client: address, at: receivedAt });
  return { status: 200, body: { confirmed_until: until.toISOString() } };
};
