// POST /v1/auth/signout: ends the session that the request came with.
import type { CallerSession } from "../src/accounts/caller.ts";
import { closeSession } from "../src/accounts/sessions.ts";
import { clearedSessionCookie } from "../src/accounts/tokens.ts";
import type { Handler } from "../src/operation.ts";

export const signOut: Handler<"signOut"> = async ({ db }, { caller }) => {
  await closeSession(db, (caller.session as CallerSession).hash);
  return { status: 204, headers: { "set-cookie": clearedSessionCookie() } };
};
