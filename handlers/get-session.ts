// GET /v1/auth/session: who is signed in.
import type { CallerSession } from "../src/accounts/caller.ts";
import { findOperator } from "../src/accounts/operators.ts";
import { findUser, type User } from "../src/accounts/users.ts";
import type { Handler } from "../src/operation.ts";
import { userRecord } from "../src/sign-in/verified.ts";

export const getSession: Handler<"getSession"> = async ({ db, catalog, config }, { caller }) => {
  const { hash, personId, expiresAt, csrfToken } = caller.session as CallerSession; // the contract accepts no API key here
  const user = (await findUser(db, personId)) as User;
  const operator = await findOperator(db, hash, config.operators);
  return {
    status: 200,
    body: {
      user: userRecord(catalog, user),
      expires_at: expiresAt.toISOString(),
      csrf_token: csrfToken,
      ...(operator === undefined ? {} : { operator: operator.role }),
    },
  };
};
