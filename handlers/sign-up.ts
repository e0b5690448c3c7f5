// POST /v1/auth/signup. Replies the same for an address that already has an account.
import type { Handler } from "../src/operation.ts";
import { assertHuman, signUp as run } from "../src/sign-in/sign-up.ts";
import { throttle } from "../src/sign-in/throttle.ts";
import { userRecord } from "../src/sign-in/verified.ts";

export const signUp: Handler<"signUp"> = async (context, { body, address, receivedAt }) => {
  const { email, password, name } = body;
  await throttle(context, "sign-up", { client: address, email });
  await assertHuman(context, body.captcha_token, address);
  const user = await run(context, { email, password, name: name?.trim() || null, client: address, at: receivedAt });
  return {
    status: 201,
    body: { user: userRecord(context.catalog, user), verification_required: true },
  };
};
