// GET /v1/auth/session: who is signed in.
import { findUser, type User, userRecord } from "../src/accounts/users.ts";
import { tierOf } from "../src/catalog/tiers.ts";
import type { CallerSession } from "../src/context.ts";
import type { Handler } from "../src/server/types.ts";

export const getSession: Handler<"getSession"> = async ({ db, catalog }, { caller }) => {
  const { expiresAt, csrfToken } = caller.session as CallerSession; // the contract lets no key come this far
  const user = (await findUser(db, caller.accountId)) as User;
  return {
    status: 200,
    body: {
      user: userRecord(user, tierOf(catalog, user.purchased).tier),
      expires_at: expiresAt.toISOString(),
      csrf_token: csrfToken,
    },
  };
};
