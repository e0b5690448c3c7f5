// POST /v1/auth/password/reset: sets a new password with the token of a mailed link.
import type { Handler } from "../src/operation.ts";
import { resetPassword as run } from "../src/sign-in/password.ts";
import { throttle } from "../src/sign-in/throttle.ts";
import { userRecord } from "../src/sign-in/verified.ts";

export const resetPassword: Handler<"resetPassword"> = async (context, { body, address, receivedAt }) => {
  await throttle(context, "reset", { client: address });
  const user = await run(context, { token: body.token, password: body.password, at: receivedAt });
  return {
    status: 200,
    body: { user: userRecord(context.catalog, user) },
  };
};
