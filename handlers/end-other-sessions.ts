// DELETE /v1/auth/sessions: ends all sessions of the person but the one of the request.
import type { CallerSession } from "../src/accounts/caller.ts";
import { endOtherSessions as endOthers } from "../src/accounts/sessions.ts";
import type { Handler } from "../src/operation.ts";

export const endOtherSessions: Handler<"endOtherSessions"> = async ({ db }, { caller }) => {
  const { personId, hash } = caller.session as CallerSession; // the contract accepts no API key here
  return { status: 200, body: { ended: await endOthers(db, personId, hash) } };
};
