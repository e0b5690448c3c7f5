// POST /v1/auth/signin: signs in by email address and password.
import { sessionCookie } from "../src/accounts/tokens.ts";
import type { Handler } from "../src/operation.ts";
import { signInByPassword } from "../src/sign-in/password.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const signIn: Handler<"signIn"> = async (context, { body, headers, address, receivedAt }) => {
  const { email, password, code } = body;
  await throttle(context, "sign-in", { client: address, email });
  const from = { client: address, userAgent: headers["user-agent"], at: receivedAt };
  const session = await signInByPassword(context, { email, password, code, ...from });
  return { status: 200, headers: { "set-cookie": sessionCookie(session.session_token) }, body: session };
};
