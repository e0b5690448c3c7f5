// POST /v1/auth/signin: signs in by email address and password.
import { sessionCookie } from "../src/accounts/sessions.ts";
import type { Handler } from "../src/operation.ts";
import { signInByPassword } from "../src/sign-in/password.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const signIn: Handler<"signIn"> = async (context, { body, address, receivedAt }) => {
  const { email, password, code } = body;
  await throttle(context, "sign-in", { client: address, email });
  const session = await signInByPassword(context, { email, password, code, client: address, at: receivedAt });
  return { status: 200, headers: { "set-cookie": sessionCookie(session.session_token) }, body: session };
};
