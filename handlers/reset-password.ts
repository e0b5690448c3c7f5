// POST /v1/auth/password/reset
import { userRecord } from "../src/accounts/users.ts";
import { tierOf } from "../src/catalog/tiers.ts";
import type { Handler } from "../src/server/types.ts";
import { resetPassword as run } from "../src/sign-in/password.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const resetPassword: Handler<"resetPassword"> = async (context, { body, address, receivedAt }) => {
  await throttle(context, "reset", { client: address });
  const user = await run(context, { token: body.token, password: body.password, at: receivedAt });
  return {
    status: 200,
    body: { user: userRecord(user, tierOf(context.catalog, user.purchased).tier) },
  };
};
