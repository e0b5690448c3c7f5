// DELETE /v1/auth/sessions/{id}: ends one of the person's sessions.
import type { CallerSession } from "../src/accounts/caller.ts";
import { endSession as end } from "../src/accounts/sessions.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const endSession: Handler<"endSession"> = async ({ db }, { caller, path }) => {
  const { personId } = caller.session as CallerSession; // the contract accepts no API key here
  if (!(await end(db, personId, path.id))) fail("session_not_found");
  return { status: 200, body: { id: path.id, ended: true } };
};
