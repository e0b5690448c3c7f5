// POST /v1/auth/signin: by email address and password.
import type { Handler } from "../src/server/types.ts";
import { signInByPassword } from "../src/sign-in/password.ts";
import { throttle } from "../src/sign-in/throttle.ts";
import { newSessionHeaders } from "./new-session.ts";

export const signIn: Handler<"signIn"> = async (context, { body, address, receivedAt }) => {
  const { email, password } = body;
  await throttle(context, "sign-in", { client: address, email });
  const session = await signInByPassword(context, { email, password, at: receivedAt });
  return { status: 200, headers: newSessionHeaders(session), body: session };
};
