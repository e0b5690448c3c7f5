// POST /v1/auth/password/forgot: mails a link that sets a new password.
import type { Handler } from "../src/operation.ts";
import { forgotPassword as run } from "../src/sign-in/password.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const forgotPassword: Handler<"forgotPassword"> = async (context, { body, address, receivedAt }) => {
  await throttle(context, "forgot", { client: address, email: body.email });
  await run(context, { email: body.email, at: receivedAt });
  return { status: 202, body: { accepted: true } };
};
