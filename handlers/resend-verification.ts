// POST /v1/auth/verify/resend: mails a new link and code to verify an address.
import type { Handler } from "../src/operation.ts";
import { resendVerification as run } from "../src/sign-in/verify-email.ts";
import { throttle } from "../src/sign-in/throttle.ts";

export const resendVerification: Handler<"resendVerification"> = async (context, { body, address, receivedAt }) => {
  await throttle(context, "resend", { client: address, email: body.email });
  await run(context, { email: body.email, at: receivedAt });
  return { status: 202, body: { accepted: true } };
};
